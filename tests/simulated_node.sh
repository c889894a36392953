# Sourced: files in which StarPU finds a simulated machine `node` of some CPUs and GPUs: 25 GB/s to each
# GPU, 50 between two. SPDX-License-Identifier: BSD-3-Clause
speed() { if (($1 == $2)); then echo 0; elif (($1 * $2)); then echo 50000; else echo 25000; fi; }
name() { (($1)) && echo "CUDA$(($1 - 1))" || echo RAM; }
pairs() { # GPUS: i and j, all different ones
    local i j
    for ((i = 0; i <= $1; i++)); do
        for ((j = 0; j <= $1; j++)); do ((i == j)) || echo "$i $j"; done
    done
}
platform() { # CPUS GPUS
    local cpus=$1 i j set
    shift
    echo '<?xml version="1.0"?>'
    echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
    echo '<platform version="4"><config id="General">'
    for set in TCP-gamma=-1 latency-factor=1 bandwidth-factor=1 crosstraffic=0 weight-S=0; do
        echo "<prop id=\"network/${set%=*}\" value=\"${set#*=}\"/>"
    done
    echo '</config><AS id="AS0" routing="Full">'
    for i in MAIN RAM; do echo "<host id=\"$i\" speed=\"1f\"/>"; done
    for ((i = 0; i < cpus; i++)); do echo "<host id=\"CPU$i\" speed=\"1f\"/>"; done
    for ((i = 1; i <= $1; i++)); do
        echo "<host id=\"$(name $i)\" speed=\"1f\"><prop id=\"memsize\" value=\"80000000000\"/>"
        echo '<prop id="memcpy_peer" value="1"/></host>'
    done
    pairs "$1" | while read -r i j; do
        echo "<link id=\"$i-$j\" bandwidth=\"$(speed $i $j)MBps\" latency=\"10us\"/>"
    done
    pairs "$1" | while read -r i j; do
        echo "<route src=\"$(name $i)\" dst=\"$(name $j)\" symmetrical=\"NO\">"
        echo "<link_ctn id=\"$i-$j\"/></route>"
    done
    echo '</AS></platform>'
}
describe() { # CPUS GPUS DIRECTORY
    local cpus=$1 i j
    shift
    mkdir -p "$2/bus" "$2/codelets/45" "$2/debug"
    for ((i = 0; i <= $1; i++)); do
        for ((j = 0; j <= $1; j++)); do
            printf '%d\t' "$(speed $i $j)" >&3
            printf '%d\t' $((i == j ? 0 : 10)) >&4
        done
        echo nan >&3 && echo nan >&4
    done 3>"$2/bus/node.bandwidth" 4>"$2/bus/node.latency"
    # StarPU takes a number when it has seen another behind it, and a row when another follows
    for ((j = 0; j <= $1; j++)); do printf 'nan\t'; done | tee -a "$2/bus/node.bandwidth" >>"$2/bus/node.latency"
    echo nan | tee -a "$2/bus/node.bandwidth" >>"$2/bus/node.latency"
    printf '%d # Number of CPUs\n%d # Number of CUDA devices\n' "$cpus" "$1" >"$2/bus/node.config"
    platform "$cpus" "$1" >"$2/bus/node.platform.v4.xml"
}

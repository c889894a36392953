#!/usr/bin/env bash
# orrery simulate: descriptions of machines good and bad, graphs good and bad, and simulated times
# that can be computed by hand. $3: orrery-sim; without it only what needs no SimGrid is tested.
# SPDX-License-Identifier: BSD-3-Clause
source "${BASH_SOURCE%/*}/common.sh"
sim=${3:-} source=$(cd "${BASH_SOURCE%/*}/../.." && pwd)

cat >node <<'E2'
format = 1
name = box
cpu.cores = 4 measured     # a comment
cpu.speed = 2 derived
cpu.flops.s = 2e9 assumed
cpu.flops.d = 1e9 assumed
task.overhead = 0 assumed
gpu.count = 2 assumed
gpu.memory = 1e9 assumed
gpu.flops.s = 4e11 assumed
gpu.flops.d = 2e11 assumed
gpu.efficiency = 0.5 assumed
gpu.bandwidth = 1e12 assumed
gpu.launch = 0 assumed
link.host.bandwidth = 1e9 assumed
link.host.latency = 0 assumed
link.host.total = 1e9 assumed
link.peer.bandwidth = 0 assumed
link.peer.latency = 0 assumed
E2
printf 'orrery graph 1\nrecorded on here cpu 1 cuda 0 opencl 0\ntasks 0\nend\n' >empty.graph

# the command line
expect 0 "$orrery" simulate --help; has out 'h200x8'
expect 2 "$orrery" simulate empty.graph; said 'machine NAME is needed'
expect 2 "$orrery" simulate --machine ./node; said 'an algorithm'
expect 2 "$orrery" simulate --machine ./node --cpus 5 empty.graph; said 'box has 4 cores, not 5'
expect 2 "$orrery" simulate --machine ./node --gpus 3 empty.graph; said 'box has 2 GPUs, not 3'
for gpus in '' '--gpus 0'; do expect 2 "$orrery" simulate --machine ./node --cpus 0 $gpus empty.graph; said 'neither --cpus nor --gpus'; done
expect 2 "$orrery" simulate --machine ./node --sched dmdas,lookaheda empty.graph; said "did you mean 'lookahead'"
cp node node.was
for option in --json --plot; do expect 2 "$orrery" simulate --machine ./node $option node empty.graph; said 'node is an input'; done
cmp node node.was || fail 'the description was written'
expect 3 "$orrery" simulate --machine nowhere empty.graph; said 'docs/simulation.md'
# models that calibrate keeps: beside them a description is found, without one and a directory are told
mkdir -p data/orrery/perfmodels/kept; echo 'format = 1' >data/orrery/perfmodels/kept/calibration
XDG_DATA_HOME=$PWD/data expect 3 "$orrery" simulate --machine kept empty.graph; said 'kept has models, but nothing describes the machine: write .*/data/orrery/perfmodels/kept.machine'
cp node data/orrery/perfmodels/kept.machine
XDG_DATA_HOME=$PWD/data expect 2 "$orrery" simulate --machine kept --cpus 5 empty.graph; said 'has 4 cores, not 5'
expect 3 "$orrery" simulate --machine data/orrery/perfmodels/kept/ empty.graph; said 'is a directory; .* such as data/orrery/perfmodels/kept.machine beside it'
expect 2 "$orrery" simulate --machine ./node heevk --n 4; said "'heevk' is neither a file nor an algorithm that can be simulated; did you mean 'heevj'"
expect 2 "$orrery" simulate --machine ./node --sched heft empty.graph; said "'heft' is a scheduler of 'orrery replay"
expect 2 "$orrery" simulate --machine ./node --plot s.png empty.graph; said "'s.png' does not end in .svg"
expect 3 "$orrery" simulate --machine ./node --plot none/s.svg empty.graph; said 'none/s.svg: cannot be written'
# on a terminal a point that takes more than two seconds says so, and the line is gone in the end
printf '#!/bin/sh\nsleep 3\nexit 1\n' >slow.sh; chmod +x slow.sh
cat >on_terminal.py <<'END'
import os, subprocess, sys
ours, theirs = os.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
os.close(theirs)
said = b""
try:
    while part := os.read(ours, 4096):
        said += part
except OSError:  # its end
    pass
child.wait()
sys.stdout.write(said.decode().replace("\r", "\n"))
END
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
    ORRERY_SIM=$PWD/slow.sh expect 0 python3 on_terminal.py "$orrery" simulate --machine ./node --cpus 1 empty.graph
    has out '^simulate: [1-9][0-9]* s'; has out '1 CPUs, 0 GPUs, dmdas: the simulation failed'
    ORRERY_SIM=$PWD/slow.sh expect 0 python3 on_terminal.py "$orrery" simulate --machine ./node --cpus 1 -q empty.graph
    ! grep -q '^simulate:' out || fail "progress in spite of -q: $(<out)"
else
    echo "left out: no terminals here"
fi
ORRERY_SIM=$PWD/absent expect 77 "$orrery" simulate --machine ./node empty.graph
said 'scripts/starpu simgrid'

# the description: FILE:LINE and exit code 3
bad() { # SED_SCRIPT MESSAGE
    sed "$1" node >bad
    expect 3 "$orrery" simulate --machine ./bad empty.graph; said "$2"
}
bad 's/cpu.speed/cpu.sped/' "bad:4: unknown key 'cpu.sped'; did you mean 'cpu.speed'"
bad 's/2 derived/2 guessed/' "bad:4: cpu.speed: 'guessed' is not measured, derived or assumed"
bad 's/2 derived/2/' "bad:4: cpu.speed: '' is not measured"
bad 's/2 derived/fast derived/' "bad:4: cpu.speed: 'fast' is not a number from 0.001 to 1000"
bad 's/= 2 derived/= -1 derived/' "bad:4: cpu.speed: '-1' is not a number"
bad 's/= 4 measured/= nan measured/' "bad:3: cpu.cores: 'nan' is not a number"
bad '$a cpu.cores = 4 measured' 'bad:20: cpu.cores was given in line 3 already'
bad '/gpu.launch/d' 'bad: gpu.launch is missing'
bad '/^name/d' 'bad: name is missing'
bad 's/= box/= ..\/box/' 'bad:2: name: letters'
bad 's/^format = 1/format = 2/' 'bad:1: format 2'
bad 's/^cpu.cores.*/cpu.cores/' 'bad:3: expected: key = value mark'
# a machine as StarPU has measured it: DIR/bus/NAME.config and what lies beside it
mkdir -p sampling/bus
cat >sampling/bus/pair.config <<'E2'
# Current configuration
2 # Number of CPUs
1 # Number of CUDA devices
0 # Number of OpenCL devices
E2
printf '# to 0\t\tto 1\n0\t1000\tnan\n2000\t0\tnan\nnan\tnan\tnan\n' >sampling/bus/pair.bandwidth
printf '# to 0\t\tto 1\n0\t5\tnan\n10\t0\tnan\nnan\tnan\tnan\n' >sampling/bus/pair.latency
cat >sampling/bus/pair.platform.v4.xml <<'E2'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM 'http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd'>
<platform version="4">
<config id="General">
<prop id="network/TCP-gamma" value="-1"></prop>
<prop id="network/latency-factor" value="1"></prop>
<prop id="network/bandwidth-factor" value="1"></prop>
<prop id="network/crosstraffic" value="0"></prop>
<prop id="network/weight-S" value="0.0"></prop>
</config>
<AS id="AS0" routing="Full">
<host id="MAIN" speed="1f"/>
<host id="CPU0" speed="2000000000f"/>
<host id="CPU1" speed="2000000000f"/>
<host id="CUDA0" speed="2000000000f">
<prop id="memsize" value="1000000000"/>
<prop id="memcpy_peer" value="0"/>
</host>
<host id="RAM" speed="1f"/>
<link id="Host" bandwidth="2000000000Bps" latency="0s"/>
<link id="RAM-CUDA0" bandwidth="1000000000Bps" latency="0.000005s"/>
<link id="CUDA0-RAM" bandwidth="2000000000Bps" latency="0.000010s"/>
<route src="RAM" dst="CUDA0" symmetrical="NO"><link_ctn id="RAM-CUDA0"/><link_ctn id="Host"/></route>
<route src="CUDA0" dst="RAM" symmetrical="NO"><link_ctn id="CUDA0-RAM"/><link_ctn id="Host"/></route>
</AS>
</platform>
E2
starpu_bad() { # FILE SED_SCRIPT MESSAGE
    rm -rf other; cp -R sampling other; sed -i "$2" "other/bus/pair.$1"
    expect 3 "$orrery" simulate --machine other/bus/pair.config empty.graph; said "$3"
}
starpu_bad config '/CUDA/d' "pair.config: no lines 'N # Number of CPUs'"
starpu_bad bandwidth 's/1000/0/' 'pair.bandwidth: not a matrix of positive numbers for 1 device'
starpu_bad bandwidth '2,$d' 'pair.bandwidth: not a matrix'
starpu_bad latency 's/^10/x/' 'pair.latency: not a matrix'
starpu_bad platform.v4.xml '/memsize/d' 'no CUDA device has a memsize'
rm -rf other; cp -R sampling other; rm other/bus/pair.latency
expect 3 "$orrery" simulate --machine other/bus/pair.config empty.graph; said 'pair.latency: cannot open: No such file'
expect 3 "$orrery" simulate --machine other/bus/none.config empty.graph; said 'none.config: cannot open: No such file'
STARPU_PERF_MODEL_DIR=$PWD/sampling expect 2 "$orrery" simulate --machine pair --cpus 3 empty.graph; said 'pair has 2 cores, not 3'
mkdir -p .starpu; cp -R sampling .starpu/
STARPU_HOME=$PWD expect 2 "$orrery" simulate --machine pair --gpus 2 empty.graph; said 'pair has 1 GPUs, not 2'
rm -r .starpu

printf 'name = c\ncpu.cores = 2 measured\ncpu.speed = 1 derived\ntask.overhead = 0 assumed\n' >cpu
for machine in "$source"/perfmodels/*.machine; do # what is shipped can be read
    ORRERY_SIM=$PWD/absent expect 77 "$orrery" simulate --machine "$machine" empty.graph
done

if [[ ! -x $sim ]]; then
    echo "skipped: no orrery-sim (cmake --preset simgrid), only files and messages were tested"
    finish; exit
fi
export ORRERY_SIM=$sim

# graph NAME LINE...: lines "USEC CUDA DATA:MODE:BYTES..." as tasks of one codelet and cost
graph() {
    local file=$1 line; shift
    { printf 'orrery graph 1\nrecorded on here cpu 1 cuda 0 opencl 0\ntasks %d\n' $#
      for line; do
          read -r us cuda rest <<<"$line"
          printf 'task work work_d %s 0 0 0 0 %s cpu %s %d %s\n' "$us" "$cuda" "$us" "$(wc -w <<<"$rest")" "$rest"
      done
      echo end; } >"$file"
}
# makespan GRAPH MS OPTION...: the simulated time is at most 0.1 ms above MS, for what StarPU
# counts itself
makespan() {
    local file=$1 ms=$2 got; shift 2
    expect 0 "$orrery" simulate --machine ./node "$@" "$file" --json one.json -q
    got=$(tail -1 one.json | sed -E 's/.*"makespan":([0-9.e-]+).*/\1/')
    awk -v g="$got" -v w="$ms" 'BEGIN { exit !(1e3 * g >= w - 1e-6 && 1e3 * g <= w + 0.1) }' ||
        fail "$file $*: $got s, not $ms ms"
}
mapfile -t ten < <(for i in {1..10}; do echo "4000 0 $i:3:8"; done)
graph independent.graph "${ten[@]}"
makespan independent.graph 20 --cpus 1              # 10 x 4 ms on a core twice as fast
makespan independent.graph 10 --cpus 2 --sched lws
makespan independent.graph 6 --cpus 4               # 3 rounds
# what schedulers do not know: dmda believes that both cores are equally fast and gives each five tasks, eager gives to who asks
makespan independent.graph 40 --cpus 1 --bias work=2
makespan independent.graph 20 --cpus 1 --bias cuda=2,work:cuda=3
makespan independent.graph 60 --cpus 1 --spikes 1:3; has one.json '"spikes":{"share":1,"factor":3}'
makespan independent.graph 10 --cpus 2 --sched dmda --slow cpu2=5
makespan independent.graph 50 --cpus 2 --sched dmda --slow cpu1=5; has one.json '"slow":{"worker":"cpu1","factor":5}'
makespan independent.graph 20 --cpus 2 --sched eager --slow cpu1=5
# the same noise as in a replay, here on a core twice as fast; equal seeds, equal bytes
expect 0 "$orrery" replay --cpus 1 --sched fifo --noise 0.5 --seeds 7 independent.graph -q --json list.json
makespan independent.graph "$(sed -E 's/.*"makespan":([0-9.e-]+).*/\1/' list.json | awk '{ print 500 * $1 }')" --cpus 1 --noise 0.5 --seeds 7
for i in 1 2; do
    expect 0 "$orrery" simulate --machine ./node --cpus 2 --noise 0.5 --seeds 1,2,1 independent.graph; cp out noise.$i
done
cmp noise.1 noise.2 || fail "equal seeds, other bytes"
[[ $(sed -n '3p' noise.1 | cut -c1-62) == $(sed -n '5p' noise.1 | cut -c1-62) ]] || fail "seed 1 twice: $(cat noise.1)"
[[ $(sed -n '3p' noise.1 | cut -c1-32) != $(sed -n '4p' noise.1 | cut -c1-32) ]] || fail "seeds 1 and 2: $(cat noise.1)"
expect 2 "$orrery" simulate --machine ./node --bias nosuch=2 independent.graph; said "no task is called 'nosuch'"
expect 2 "$orrery" simulate --machine ./node --noise x independent.graph; said "'x' is not a coefficient"
# kernels that wait in a device's queue take their true time, too
gpu() { # FILE KEYS_OF_A KEYS_OF_B: 2 ms on a GPU each, their data 1 ms on the way
    printf 'orrery graph 2\nrecorded on here cpu 1 cuda 1 opencl 0\ntasks 2\ndata 1 1000000\ndata 2 1000000\n' >"$1"
    printf 'task a where=cuda cuda=2000 %s 1:R\ntask b where=cuda cuda=2000 %s 2:R\nend\n' "$2" "$3" >>"$1"
}
gpu gpu.graph
makespan gpu.graph 5 --cpus 0 --gpus 1 --sched eager; has one.json '"busy":{"cpu":0,"cuda":0.004},"ran":{"cpu":0,"cuda":2}'
makespan gpu.graph 9 --cpus 0 --gpus 1 --sched eager --bias cuda=2; has one.json '"busy":{"cpu":0,"cuda":0.008}'
makespan gpu.graph 9 --cpus 0 --gpus 1 --sched eager --slow cuda0=2
# while the worker waits for a kernel that is not asynchronous, it takes no task and fetches no data
export STARPU_PREFETCH=0 # else StarPU fetches all that only one device can use
makespan gpu.graph 5 --cpus 0 --gpus 1 --sched eager
gpu sync.graph sync=cuda; makespan sync.graph 6 --cpus 0 --gpus 1 --sched eager
makespan sync.graph 10 --cpus 0 --gpus 1 --sched eager --bias cuda=2
gpu sync.graph '' sync=cuda; makespan sync.graph 5 --cpus 0 --gpus 1 --sched eager
unset STARPU_PREFETCH
# the picture: a point per run, in whole XML
expect 0 "$orrery" simulate --machine ./node --cpus 1,2,4 --sched lws,eager --plot s.svg -q independent.graph
has s.svg 'simulated on box (values assumed)'; has s.svg '4 CPUs, 0 GPUs: 6\.'
[[ $(grep -c '<circle' s.svg) == 6 ]] || fail "s.svg does not have 6 points"
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("s.svg")' || fail "s.svg is not XML"
expect 3 "$orrery" simulate --machine ./node --cpus 1 --plot none/s.svg -q independent.graph; said 'none/s.svg'
# a file that cannot be read is told once, not for each point
expect 3 "$orrery" simulate --machine ./node --cpus 1,2 --gpus 0,1 none.graph; said 'none.graph: cannot open'
[[ $(wc -l <err) == 1 && ! -s out ]] || fail "none.graph: $(cat out err)"
# GPUs that have nothing to do are told, with the remedy, which then works
printf '%s\n' 'orrery graph 2' 'recorded on here cpu 1 cuda 0 opencl 0' 'tasks 1' 'data 1 8' 'task work cpu=4000 1:RW' end >cpu.graph
expect 0 "$orrery" simulate --machine ./node --cpus 1 cpu.graph; empty err
expect 0 "$orrery" simulate --machine ./node --cpus 1 --gpus 0,1 cpu.graph; said 'no task has a time on a GPU .* graph import FILE.graph --time CODELET=:US'
expect 0 "$orrery" graph import cpu.graph --time work=:1000 -o both.graph
expect 0 "$orrery" simulate --machine ./node --cpus 1 --gpus 1 --sched dmda both.graph; empty err; has out '^ *1 *1 dmda  *1\.'
mapfile -t chain < <(for i in {1..10}; do echo "4000 0 1:3:8"; done)
graph chain.graph "${chain[@]}"; makespan chain.graph 20 --cpus 4
# two tasks of one cost take what each of them took, not their mean
graph uneven.graph "1000 0 1:3:8" "7000 0 2:3:8"; sed -i 's/work_d [0-9]*/work_d abc/' uneven.graph
makespan uneven.graph 3.5 --cpus 2
# what StarPU itself does for each of the data, and what the program did while nothing ran
sed 's/^task.overhead.*/task.overhead = 1e-3 assumed\ndata.overhead = 2e-3 derived/' node >costly
cp node plain; cp costly node
makespan chain.graph 50 --cpus 4 # 10 x (2 + 1 + 2 ms)
has one.json '"data.overhead":{"value":0.002,"mark":"derived"}'
cp plain node
# the thread that submits: where every core has a worker it takes its time from them
sed 's/^gpu.count/task.submit = 1e-3 assumed\n&/' plain >node
makespan chain.graph 30 --cpus 4 # 10 x (2 + 1 ms)
makespan chain.graph 20 --cpus 3
cp plain node
sed '9s/^/pause 6000\n/' chain.graph | awk '/^pause/ { p = 1 } p && /^task / { $5 = 1 } 1' >pause.graph
makespan pause.graph 23 --cpus 4 # 6 ms there are 3 here
# 4 ms at 1 Gflop/s are 4e6 operations: 0.04 ms at 100 Gflop/s, and 10 MB there and back 20 ms
# version 2: an edge that no access says, backwards in the file too, and a task that runs nowhere
cat >explicit.graph <<'E3'
orrery graph 2
recorded on here cpu 1 cuda 0 opencl 0
tasks 4
data 1 8
task late cpu=4000 after=3
task other cpu=4000 1:W
task early cpu=4000
task join where=none after=1,2
end
E3
makespan explicit.graph 4 --cpus 4
sed -i 's/task other cpu=4000/& after=4/; s/after=1,2/after=1/' explicit.graph; makespan explicit.graph 6 --cpus 4
# consistency that is switched off for one of the data of a task: middle need not wait for first, last does for middle, also where middle
# cannot begin, since first holds data 1 until 2 ms
cat >partly.graph <<'E3'
orrery graph 2
recorded on here cpu 1 cuda 0 opencl 0
tasks 4
data 1 8
data 2 8
data 3 8
task before cpu=4000 3:W
task first cpu=4000 3:R 1:W
task middle cpu=4000 1:RU 2:RW
task last cpu=4000 2:R
end
E3
makespan partly.graph 4 --cpus 4 --sched eager # dmdas would put first and last, ready at one instant, on one core
sed 's/:RU/:R/' partly.graph >wholly.graph; makespan wholly.graph 8 --cpus 4
sed '/^task before/d; s/tasks 4/tasks 3/; s/ 3:R//' partly.graph >held.graph; makespan held.graph 6 --cpus 4
graph device.graph "4000 1 1:3:10000000"; makespan device.graph 20.04 --cpus 0 --gpus 1
has one.json '"cuda":"roofline estimate"'; has one.json '"to_devices":10000000,"from_devices":10000000'
has one.json '"mark":"assumed"'; has one.json '"cpu.cores":{"value":4,"mark":"measured"}'
has one.json '"critical_path":4e-05'
has one.json '"links":0.02'; has one.json '"cold":false'
# the first call allocates, 0.175 ms; what comes next is brought while the device computes
makespan device.graph 20.215 --cpus 0 --gpus 1 --cold; has one.json '"cold":true'
mapfile -t stream < <(for i in {1..10}; do echo "100000 1 $i:1:1000000"; done)
graph stream.graph "${stream[@]}"
makespan stream.graph 11 --cpus 0 --gpus 1 # 1 ms to bring the first, 10 x 1 ms
has one.json '"links":0.01'
expect 0 "$tool" json one.json algo simulated makespan bound machine values times speedup
# CPUs and GPUs together: 16 like tasks, 2 ms on a core and 0.04 ms on a GPU, whose data are small
mapfile -t both < <(for i in {1..16}; do echo "4000 1 $i:3:8"; done)
graph both.graph "${both[@]}"
expect 0 "$orrery" simulate --machine ./node --cpus 0,4 --gpus 0,1 --sched lws both.graph --json both.json
has out 'together .* times the GPUs alone; bound (Rc+Rg)/Rg 1\.'
tail -1 both.json >both.last; has both.last '"together":{"gain":[0-9.]*,"bound":1\.[0-9]*}'
head -1 both.json >both.first; has both.first '"together":{"gain":null,"bound":null}'
# where tasks want to run, as in a replay: c could be over at once on the device; the bound knows it. Without devices, and where no
# accelerator was when it was recorded, they run anywhere
cat >wants.graph <<'E3'
orrery graph 2
recorded on here cpu 1 cuda 1 opencl 0
tasks 3
task a cpu=200 cuda=7000 wants=accelerator
task b cpu=4000
task c cpu=10000 cuda=100 wants=cpu
end
E3
for policy in eager lws dmdas affine; do makespan wants.graph 7 --cpus 1 --gpus 1 --sched $policy; done
has one.json '"critical_path":0.007'
expect 0 "$orrery" replay wants.graph --bias cpu=0.5 --sched fifo -q --json list.json; has list.json '"makespan":0.007,'
makespan wants.graph 7.1 --cpus 1
sed 's/cuda 1/cuda 0/' wants.graph >unsaid.graph; makespan unsaid.graph 2.1 --cpus 1 --gpus 1 --sched dmdas
# what is on one of two devices runs there, and anywhere if it is not there
cat >owner.graph <<'E4'
orrery graph 2
recorded on here cpu 1 cuda 2 opencl 0
tasks 4
task a cuda=1000 owner=1
task a cuda=1000 owner=1
task a cuda=1000 owner=1
task a cuda=1000 owner=1
end
E4
for policy in eager lws dmdas affine lookahead; do makespan owner.graph 4 --cpus 0 --gpus 2 --sched $policy; done
makespan owner.graph 4 --cpus 0 --gpus 1; sed 's/ owner=1//' owner.graph >free.graph; makespan free.graph 2 --cpus 0 --gpus 2 --sched eager
# two devices through one host link, and a task that only a CPU can run
graph two.graph "4000 1 1:1:10000000" "4000 1 2:1:10000000"; makespan two.graph 20.04 --cpus 0 --gpus 2
expect 77 "$orrery" simulate --machine ./node --cpus 0 --gpus 1 chain.graph; said 'has no CUDA function'
graph large.graph "4000 1 1:3:400000000"
expect 77 "$orrery" simulate --machine ./node --cpus 0 --gpus 1 large.graph; said 'a quarter of gpu.memory'
makespan large.graph 2 --cpus 1 --gpus 1
expect 0 "$orrery" simulate --machine ./cpu --cpus 1,2 independent.graph; has out ' derived\| assumed'
expect 2 "$orrery" simulate --machine ./node --cpus 1 --sched nosuch chain.graph; said "no scheduling policy has this name ('nosuch')"

# broken graphs
broken() { # SED_SCRIPT MESSAGE
    sed "$1" chain.graph >broken.graph
    expect 3 "$orrery" simulate --machine ./node --cpus 1 broken.graph; said "$2"
}
broken '1s/.*/hello/' 'broken.graph:1: not a graph'; broken '1s/1$/9/' 'another version'
broken '$d' 'broken.graph:14: the file ends too early'; broken '8,$d' 'broken.graph:8: the file ends too early'
broken '5s/1:3:8/1:3/' 'broken.graph:5: expected DATA:MODE:BYTES'; broken '5s/task/tusk/' 'broken.graph:5: not a task'
broken '5s/1:3:8/1:0:8/' 'broken.graph:5: a number of data or an access mode'; broken '5s/1:3:8/99999999999:3:8/' 'a number of data'
broken '5s/$/ 2:3:8/' "broken.graph:5: more than the task's accesses"

sed '6s/^/pause soon\n/' chain.graph >broken.graph
expect 3 "$orrery" simulate --machine ./node --cpus 1 broken.graph; said 'broken.graph:6: expected: pause MICROSECONDS'

# a real graph, twice the same to the last digit; recording by the command itself
expect 0 "$orrery" hb2st --n 150 --band 9 --cpus 2 --repeat 1 --trace real.graph -q
grep -q "^task hb2st_chase .* where=cpu,cuda " real.graph || fail "the graph does not say that hb2st_chase has a CUDA function"
for i in 1 2; do
    expect 0 "$orrery" simulate --machine h200x8 --cpus 1,16 --gpus 0,1,8 --sched dmdas,lws real.graph; cp out real.$i
done
cmp real.1 real.2 || fail "the simulation is not repeatable"
[[ $(wc -l <real.1) == 14 ]] || fail "$(wc -l <real.1) lines, not 2 + 2 x 2 x 3"
for work in "gesvj --n 40 --count 2 --repeat 1" "heevj --n 16 --batch 100 --repeat 1" "gb2bd --n 90 --band 9 --repeat 1" "heev --n 60 --band 32 --repeat 1" "gesvd --n 60 --m 70 --band 32 --jobz V --repeat 1" "heev --n 60 --repeat 1"; do
    expect 0 "$orrery" simulate --machine ci-2core --cpus 1,2 $work; has out 'recorded'
done

# StarPU's files: a transfer of 10 MB over a link of 1 GB/s and 5 us, 1 ms on the device, 5 ms back; or 20 ms on a CPU
printf 'orrery graph 2\nrecorded on there cpu 2 cuda 1 opencl 0\ntasks 1\ndata 1 10000000\ntask k cpu=20000 cuda=1000 1:RW\nend\n' >pair.graph
expect 0 "$orrery" simulate --machine sampling/bus/pair.config --cpus 0 --gpus 1 pair.graph --json pair.json -q
awk 'match($0, /"makespan":[0-9.e-]+/) { t = 1e3 * substr($0, RSTART + 11, RLENGTH - 11) } END { exit !(t > 10.9 && t < 17) }' pair.json ||
    fail "not 11 to 16 ms: $(cat pair.json)"
expect 0 "$orrery" simulate --machine sampling/bus/pair.config --cpus 1 pair.graph --json cpu.json -q
has cpu.json '"makespan":0.02[,0]'

# calibrated models beside the description come before recorded times
mkdir -p models/box/bus; cp node models/box.machine
STARPU_CALIBRATE=1 STARPU_HOSTNAME=box STARPU_PERF_MODEL_DIR=$PWD/models/box \
    expect 0 "$orrery" hb2st --n 150 --band 9 --cpus 1 --sched dmda --repeat 12 --trace chase.graph -q
read -r key mean < <(awk 'NF == 8 && length($1) == 8 { print $1, $4; exit }' \
    models/box/codelets/45/hb2st_chase_d.box)
[[ $key && $mean ]] || fail "no entry in the model of hb2st_chase_d"
printf 'orrery graph 1\nrecorded on here cpu 1 cuda 0 opencl 0\ntasks 1\ntask hb2st_chase hb2st_chase_d %s 0 0 0 0 1 cpu 9e6 1 1:3:8\nend\n' "$key" >one.graph
expect 0 "$orrery" simulate --machine models/box.machine --cpus 1 one.graph --json cal.json -q
has cal.json '"times":{"cpu":"calibrated","cuda":null}'
awk -v m="$mean" 'match($0, /"tasks_end":[0-9.e-]+/) { t = 1e6 * substr($0, RSTART + 12, RLENGTH - 12) }
    END { exit !(t >= m - 1e-3 && t <= m + 50) }' cal.json || fail "calibrated mean $mean us: $(cat cal.json)"
expect 0 "$orrery" simulate --machine models/box.machine --recorded --cpus 1 one.graph --json cal.json -q
tail -1 cal.json >cal.last; has cal.last '"times":{"cpu":"recorded","cuda":null}'
expect 2 "$orrery" simulate --machine ci-2core heevj --no-such-option; said 'exit code 2'
finish

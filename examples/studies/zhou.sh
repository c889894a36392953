#!/bin/sh
# A graph of the steps of Zhou et al.: zhou.sh MATRICES gpu|pairs|free OUT. Seconds of a matrix from their Tables 1 (CPU, one thread)
# and 2 (GPU), spread evenly over its iterations. SPDX-License-Identifier: BSD-3-Clause
awk -v matrices="$1" -v how="$2" '
    function task(step, m, phase) { # step 1 or 2 of the next iteration of matrix m
        k = m % 3
        line[n++] = sprintf("task step%d phase=%d where=%s 1:%s", step, phase, step == 1 || how == "gpu" ? "cuda" : "cpu", "RW")
        us = 1000 * (step == 1 ? gpu1[k] : how == "gpu" ? gpu2[k] : cpu2[k]) / iterations[k]
        sub(/ 1:RW/, sprintf(" %s=%.3f %d:RW", step == 1 || how == "gpu" ? "cuda" : "cpu", us, m + 1), line[n - 1])
    }
    BEGIN {
        split("238.3 244.6 242.2", g1); split("73.6 82.2 74.9", g2); split("229.1 238.2 235.2", c2); split("9 10 10", it)
        for (k = 0; k < 3; k++) { gpu1[k] = g1[k + 1]; gpu2[k] = g2[k + 1]; cpu2[k] = c2[k + 1]; iterations[k] = it[k + 1] }
        if (how == "gpu")
            for (m = 0; m < matrices; m++)
                for (i = 0; i < iterations[m % 3]; i++) { task(1, m, 0); task(2, m, 0) }
        else if (how == "free")
            for (i = 0; i < 10; i++)
                for (m = 0; m < matrices; m++)
                    if (i < iterations[m % 3]) { task(1, m, 0); task(2, m, 0) }
        # Stage s: step 1 of one matrix of the pair, step 2 of the other, which had step 1 in the stage before.
        phase = 0
        for (m = 0; how == "pairs" && m < matrices; m += 2) {
            done[m] = done[m + 1] = 0
            for (s = 0; done[m] < 2 * iterations[m % 3] || (m + 1 < matrices && done[m + 1] < 2 * iterations[(m + 1) % 3]); s++) {
                for (j = m; j < m + 2 && j < matrices; j++)
                    if (s >= j - m && done[j] < 2 * iterations[j % 3]) { task(1 + done[j] % 2, j, phase); done[j]++ }
                phase++
            }
        }
        print "orrery graph 2"
        print "recorded on tables cpu 1 cuda 1 opencl 0"
        print "tasks " n
        for (m = 1; m <= matrices; m++) print "data " m " 1048576"
        for (k = 0; k < n; k++) print line[k]
        print "end"
    }' >"$3"

/* Joules by the machine's own counters: processors and memory by RAPL, as Linux shows it in /sys/class/powercap, GPUs
 * by NVML, which is loaded if it is there. The counters are of the whole machine, whoever works on it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ENERGY_H
#define ORR_ENERGY_H

struct orr_energy;

struct orr_joules {
    double cpu, gpu; /* NaN: not known */
};

/* A counter of RAPL starts again from 0 after some minutes of full power, the smallest after about two. */
enum { ORR_ENERGY_SECONDS = 30 };

/* NULL: no memory. gpus: NVML, too. $ORRERY_POWERCAP and $ORRERY_NVML name another directory and library. */
struct orr_energy *orr_energy_open(int gpus);
void orr_energy_close(struct orr_energy *); /* NULL: nothing happens, here and below */

/* Since it was opened. To be asked at least once in ORR_ENERGY_SECONDS, for the sake of counters that start again. */
struct orr_joules orr_energy_read(struct orr_energy *);

/* Of a run of so many seconds between two readings: not known where the counters are too slow for 1 % (0.2 s of
 * RAPL, which counts once in a millisecond, 10 s of NVML), or stand still. */
struct orr_joules orr_energy_between(struct orr_joules before, struct orr_joules after,
                                     double seconds);

/* Which counters there are, or why there are none: of processors, of GPUs. */
const char *orr_energy_cpu(const struct orr_energy *);
const char *orr_energy_gpu(const struct orr_energy *);

#endif

/* What a study found: a table, report.html, its figures and tables as files.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_REPORT_H
#define ORR_CLI_STUDY_REPORT_H

#include "src/cli/core/text.h"
#include "src/cli/study/effects.h"
#include "src/cli/study/store.h"

typedef struct {
    int runs, bad;
    double median, min, max; /* of those that were ok; NaN: none */
} report_point;

typedef struct {
    const study_plan *p;
    const study_store *store;
    const study_rows *rows;
    const study_effect *effect; /* [effects], NULL: none */
    int effects, whole;         /* whole: blocks */
    report_point *point;        /* [points] */
} study_report_data;

/* "n=1024: lws over dmdas" */
void report_effect_label(cli_text *, const study_report_data *, const study_effect *);
/* How much of the study there is to look at, and what that means; nothing of a study that is whole. */
void report_standing(cli_text *, const study_report_data *);
/* What ours is at the place of a published figure; NaN: not known. */
double report_ours(const study_report_data *, const study_published *);
/* Ranks in the case of `point`, low and high of each value of the compared factor: among those that were told apart. */
void report_ranks(const study_report_data *, int point, int *low, int *high);

/* samples.csv, a line for each run; effects.csv and points.csv, what the figures show. */
void report_samples(cli_text *, const study_report_data *);
void report_effects(cli_text *, const study_report_data *);
void report_points(cli_text *, const study_report_data *);
void report_html(cli_text *, const study_report_data *);

/* Pictures, as SVG within a page; of the points the first CHART_POINTS. */
enum { CHART_POINTS = 200 };
void chart_effects(cli_text *, const study_report_data *);
void chart_values(cli_text *, const study_report_data *);
void chart_drift(cli_text *, const study_report_data *);

#endif

/* The trace as one page that needs nothing else: no network, no other file. Data as JSON, then a
 * script that draws a Gantt chart to zoom and hover over, and the tables of the analysis.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "src/trace_write.h"

static const char *const page[] = {
    "<!doctype html>\n",
    "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Orrery: trace</title>\n",
    "<style>\n",
    "body { font: 14px/1.45 sans-serif; margin: 1.2em; color: #222; background: #fff }\n",
    "h1 { font-size: 1.25em } table { border-collapse: collapse; margin: .6em 0 }\n",
    "td, th { padding: .15em .8em; text-align: right; border-bottom: 1px solid #ddd }\n",
    "td:first-child, th:first-child { text-align: left }\n",
    "canvas { width: 100%; display: block; cursor: crosshair; touch-action: none }\n",
    "#tip { position: fixed; display: none; background: #222; color: #fff; padding: .4em .7em;\n",
    "       font-size: 12px; white-space: pre; pointer-events: none }\n",
    ".key { display: inline-block; margin-right: 1.2em }\n",
    ".key i { display: inline-block; width: .9em; height: .9em; margin-right: .35em }\n",
    "p { color: #555 }\n",
    "</style></head><body>\n",
    "<h1>Orrery: every task of the trace</h1>\n",
    "<div id=\"keys\"></div>\n",
    "<canvas id=\"chart\"></canvas>\n",
    "<p>Wheel zooms, dragging moves, a double click shows all; keys + - and arrows do the"
    " same. Light grey is\n",
    "waiting for data. Hover over a task to read it.</p>\n",
    "<div id=\"tables\"></div><div id=\"tip\"></div>\n",
};

static const char *const script[] = {
    "\"use strict\";\n",
    "const data = JSON.parse(document.getElementById(\"data\").textContent);\n",
    "const [NAME, WORKER, READY, ACQUIRE, START, END, IMPL, PARTS] = [0, 1, 2, 3, 4, 5, 6, 7];\n",
    "const colours = [\"#0072b2\", \"#e69f00\", \"#009e73\", \"#cc79a7\", \"#56b4e9\","
    " \"#d55e00\", \"#f0e442\", \"#999999\"];\n",
    "const colour = (name) => colours[Math.min(name, colours.length - 1)];\n",
    "const canvas = document.getElementById(\"chart\"), tip = document.getElementById(\"tip\");\n",
    "const LEFT = 110, LANE = 30, BAR = 22, TOP = 6, BOTTOM = 24;\n",
    "const lanes = data.workers.map(() => []);\n",
    "for (const t of data.tasks) if (t[WORKER] >= 0) lanes[t[WORKER]].push(t);\n",
    "for (const lane of lanes) lane.sort((a, b) => a[START] - b[START]);\n",
    "const last = data.tasks.reduce((end, t) => Math.max(end, t[END]), 1);\n",
    "let from = 0, to = last;\n",
    "const time = (us) => us < 1e3 ? us.toPrecision(4) + \" us\" : us < 1e6 ? (us /"
    " 1e3).toPrecision(4) + \" ms\"\n",
    "    : (us / 1e6).toPrecision(4) + \" s\";\n",
    "const width = () => canvas.clientWidth - LEFT - 10;\n",
    "const x = (us) => LEFT + (us - from) / (to - from) * width();\n",
    "const us = (px) => from + (px - LEFT) / width() * (to - from);\n",
    "/* The first task of a lane that ends after a time. */\n",
    "function first(lane, t) {\n",
    "    let low = 0, high = lane.length;\n",
    "    while (low < high) {\n",
    "        const mid = (low + high) >> 1;\n",
    "        if (lane[mid][END] <= t) low = mid + 1; else high = mid;\n",
    "    }\n",
    "    return low;\n",
    "}\n",
    "function draw() {\n",
    "    const scale = window.devicePixelRatio || 1, height = TOP + LANE * lanes.length +"
    " BOTTOM;\n",
    "    canvas.style.height = height + \"px\";\n",
    "    canvas.width = canvas.clientWidth * scale;\n",
    "    canvas.height = height * scale;\n",
    "    const c = canvas.getContext(\"2d\");\n",
    "    let drawn = 0;\n",
    "    c.scale(scale, scale);\n",
    "    c.font = \"12px sans-serif\";\n",
    "    lanes.forEach((lane, w) => {\n",
    "        const y = TOP + w * LANE;\n",
    "        c.fillStyle = \"#222\";\n",
    "        c.textAlign = \"right\";\n",
    "        c.fillText(data.workers[w].slice(0, 16), LEFT - 8, y + BAR - 6);\n",
    "        c.fillStyle = \"#f2f2f2\";\n",
    "        c.fillRect(LEFT, y, width(), BAR);\n",
    "        for (let i = first(lane, from); i < lane.length && lane[i][START] < to; i++,"
    " drawn++) {\n",
    "            const t = lane[i], a = Math.max(x(t[START]), LEFT), b ="
    " Math.min(x(t[END]), LEFT + width());\n",
    "            const before = Math.max(x(t[ACQUIRE]), LEFT);\n",
    "            if (a - before > 0.5) {\n",
    "                c.fillStyle = \"#cccccc\";\n",
    "                c.fillRect(before, y + BAR - 5, a - before, 5);\n",
    "            }\n",
    "            c.fillStyle = colour(t[NAME]);\n",
    "            c.fillRect(a, y, Math.max(b - a - (b - a > 3 ? 0.5 : 0), 0.3), BAR);\n",
    "        }\n",
    "    });\n",
    "    c.fillStyle = \"#444\";\n",
    "    c.textAlign = \"center\";\n",
    "    for (let i = 0; i <= 5; i++)\n",
    "        c.fillText(time(from + (to - from) * i / 5), Math.min(LEFT + width() * i /"
    " 5, LEFT + width() - 20),\n",
    "                   height - 6);\n",
    "    document.body.dataset.drawn = drawn;\n",
    "}\n",
    "function show(a, b) {\n",
    "    const least = 1, span = Math.max(b - a, least);\n",
    "    from = Math.max(0, Math.min(a, last - span));\n",
    "    to = Math.min(last, from + span);\n",
    "    draw();\n",
    "}\n",
    "const zoom = (factor, t) => show(t - (t - from) * factor, t + (to - t) * factor);\n",
    "const move = (part) => show(from + part * (to - from), to + part * (to - from));\n",
    "/* The task at a point of the canvas, or undefined. */\n",
    "function at(px, py) {\n",
    "    const lane = lanes[Math.floor((py - TOP) / LANE)], t = us(px);\n",
    "    const task = lane && lane[first(lane, t)];\n",
    "    return task && task[START] <= t ? task : undefined;\n",
    "}\n",
    "function describe(t) {\n",
    "    return data.names[t[NAME]] + \"\\n\" + data.workers[t[WORKER]] + \","
    " implementation \" + t[IMPL]\n",
    "        + \"\\nran \" + time(t[END] - t[START]) + \" from \" + time(t[START])\n",
    "        + \"\\nready \" + time(t[START] - t[READY]) + \" before it started\"\n",
    "        + \"\\nwaited for data \" + time(t[START] - t[ACQUIRE]) + \"\\nparts \" + t[PARTS];\n",
    "}\n",
    "let held = null;\n",
    "canvas.addEventListener(\"wheel\", (e) => {\n",
    "    e.preventDefault();\n",
    "    zoom(e.deltaY < 0 ? 0.8 : 1.25, us(e.offsetX));\n",
    "}, { passive: false });\n",
    "canvas.addEventListener(\"pointerdown\", (e) => { held = e.offsetX; });\n",
    "window.addEventListener(\"pointerup\", () => { held = null; });\n",
    "canvas.addEventListener(\"dblclick\", () => show(0, last));\n",
    "canvas.addEventListener(\"pointerleave\", () => { tip.style.display = \"none\"; });\n",
    "canvas.addEventListener(\"pointermove\", (e) => {\n",
    "    if (held !== null) {\n",
    "        move((held - e.offsetX) / width());\n",
    "        held = e.offsetX;\n",
    "    }\n",
    "    const task = at(e.offsetX, e.offsetY);\n",
    "    tip.style.display = task ? \"block\" : \"none\";\n",
    "    if (task) {\n",
    "        tip.textContent = describe(task);\n",
    "        tip.style.left = Math.min(e.clientX + 14, window.innerWidth - 260) + \"px\";\n",
    "        tip.style.top = e.clientY + 14 + \"px\";\n",
    "    }\n",
    "});\n",
    "window.addEventListener(\"keydown\", (e) => {\n",
    "    const middle = (from + to) / 2;\n",
    "    if (e.key === \"+\") zoom(0.5, middle);\n",
    "    if (e.key === \"-\") zoom(2, middle);\n",
    "    if (e.key === \"ArrowLeft\") move(-0.2);\n",
    "    if (e.key === \"ArrowRight\") move(0.2);\n",
    "});\n",
    "window.addEventListener(\"resize\", draw);\n",
    "function element(parent, tag, text) {\n",
    "    const e = document.createElement(tag);\n",
    "    if (text !== undefined) e.textContent = text;\n",
    "    parent.appendChild(e);\n",
    "    return e;\n",
    "}\n",
    "function table(title, head, rows) {\n",
    "    const tables = document.getElementById(\"tables\");\n",
    "    element(tables, \"h1\", title);\n",
    "    const body = element(tables, \"table\"), first = element(body, \"tr\");\n",
    "    for (const cell of head) element(first, \"th\", cell);\n",
    "    for (const row of rows) {\n",
    "        const line = element(body, \"tr\");\n",
    "        for (const cell of row) element(line, \"td\", cell);\n",
    "    }\n",
    "}\n",
    "data.names.forEach((name, i) => {\n",
    "    const key = element(document.getElementById(\"keys\"), \"span\");\n",
    "    key.className = \"key\";\n",
    "    element(key, \"i\").style.background = colour(i);\n",
    "    element(key, \"span\", name);\n",
    "});\n",
    "for (const t of data.tables) table(t.title, t.head, t.rows);\n",
    "draw();\n",
};

static void put_lines(FILE *f, const char *const *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputs(line[i], f);
}

/* As JSON within <script>: neither quotes nor the end of the element may come through. */
static void put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || *s == '<' || (unsigned char)*s < 0x20)
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else
            fputc(*s, f);
    fputc('"', f);
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

static void put_tasks(FILE *f, const struct orr_trace_view *v)
{
    struct orr_trace_names names = {0};
    fprintf(f, "\"workers\":[");
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        char name[64];
        starpu_worker_get_name((int)w, name, sizeof name);
        fputs(w ? "," : "", f);
        put_string(f, name);
    }
    fprintf(f, "],\n\"tasks\":[\n");
    for (size_t i = 0; i < v->trace->count; i++) {
        const struct orr_trace_record *r = &v->trace->record[i];
        fprintf(f, "[%d,%d,%.1f,%.1f,%.1f,%.1f,%d,%lld]%s\n", orr_trace_name(&names, r->name),
                r->worker, r->ready - v->t0, r->acquire - v->t0, r->start - v->t0, r->end - v->t0,
                r->impl, (long long)r->parts, i + 1 < v->trace->count ? "," : "");
    }
    fprintf(f, "],\n\"names\":[");
    for (int i = 0; i < names.count; i++) {
        fputs(i ? "," : "", f);
        put_string(f, i == ORR_TRACE_NAMES - 1 ? "others" : names.name[i]);
    }
    fprintf(f, "],\n");
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void put_ms(FILE *f, double seconds)
{
    if (isfinite(seconds))
        fprintf(f, ",\"%.4g\"", 1e3 * seconds);
    else
        fprintf(f, ",\"not known\"");
}

static void put_bounds(FILE *f, const orr_analysis *a)
{
    fprintf(f,
            "{\"title\":\"The last run against the best possible\",\"head\":[\"ms\",\"makespan\","
            "\"bound: work\",\"bound: longest chain\",\"bound: both (LP)\"],\"rows\":[[\"\"");
    put_ms(f, a->makespan);
    put_ms(f, a->area);
    put_ms(f, a->critical_path);
    put_ms(f, a->lp);
    fprintf(f, "]]}");
}

static void put_workers(FILE *f, const orr_analysis *a)
{
    static const char *const kinds[ORR_NKINDS] = {"CPU", "CUDA", "OpenCL"};
    const char *comma = "";
    fprintf(
        f,
        ",\n{\"title\":\"Where the workers' time went\",\"head\":[\"kind\",\"workers\",\"tasks\","
        "\"busy %%\",\"waiting for data %%\",\"idle, no task ready %%\","
        "\"idle, tasks ready %%\"],\"rows\":[");
    for (int k = 0; k < ORR_NKINDS; k++) {
        const orr_analysis_kind *x = &a->kind[k];
        const double all = x->workers * a->makespan;
        if (!(all > 0))
            continue;
        fprintf(f, "%s[\"%s\",\"%d\",\"%lld\",\"%.1f\",\"%.1f\",\"%.1f\",\"%.1f\"]", comma,
                kinds[k], x->workers, (long long)x->tasks, 100 * x->busy / all,
                100 * x->stalled / all, 100 * x->starved / all, 100 * x->unserved / all);
        comma = ",";
    }
    fprintf(f, "]}");
}

static void put_codelets(FILE *f, const orr_analysis *a)
{
    fprintf(f, ",\n{\"title\":\"Codelets\",\"head\":[\"codelet\",\"CPU tasks\",\"CPU ms\","
               "\"CUDA tasks\",\"CUDA ms\",\"OpenCL tasks\",\"OpenCL ms\",\"mean wait us\","
               "\"of it data us\",\"acceleration, measured\"],\"rows\":[");
    for (int i = 0; i < a->codelets; i++) {
        const orr_analysis_codelet *c = &a->codelet[i];
        fprintf(f, "%s[\"%s\"", i ? "," : "", c->name);
        for (int k = 0; k < ORR_NKINDS; k++) {
            fprintf(f, ",\"%lld\"", (long long)c->tasks[k]);
            put_ms(f, c->seconds[k]);
        }
        fprintf(f, ",\"%.4g\",\"%.4g\"", 1e6 * c->wait, 1e6 * c->stall);
        if (isfinite(c->factor))
            fprintf(f, ",\"%.3g\"]", c->factor);
        else
            fprintf(f, ",\"\"]");
    }
    fprintf(f, "]}");
}

static void put_links(FILE *f, const orr_analysis *a)
{
    if (!a->links)
        return;
    fprintf(f,
            ",\n{\"title\":\"Links\",\"head\":[\"from\",\"to\",\"MB\",\"transfers\"],\"rows\":[");
    for (int i = 0; i < a->links; i++) {
        const orr_analysis_link *l = &a->link[i];
        fputs(i ? ",[" : "[", f);
        put_string(f, l->from);
        fputc(',', f);
        put_string(f, l->to);
        fprintf(f, ",\"%.4g\",\"%lld\"]", 1e-6 * (double)l->bytes, (long long)l->transfers);
    }
    fprintf(f, "]}");
}

void orr_trace_write_html(FILE *f, const struct orr_trace_view *v)
{
    put_lines(f, page, sizeof page / sizeof *page);
    fprintf(f, "<script type=\"application/json\" id=\"data\">{\n");
    put_tasks(f, v);
    fprintf(f, "\"tables\":[");
    if (v->last) {
        put_bounds(f, v->last);
        put_workers(f, v->last);
        put_codelets(f, v->last);
        put_links(f, v->last);
    }
    fprintf(f, "]}\n</script>\n<script>\n");
    put_lines(f, script, sizeof script / sizeof *script);
    fprintf(f, "</script>\n</body></html>\n");
}

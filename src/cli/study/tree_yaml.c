/* YAML by libfyaml. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/tree.h"

#include "src/cli/core/cli.h"

#ifndef ORR_WITH_FYAML

int tree_yaml(tree **out, const char *path, const char *text)
{
    (void)out, (void)text;
    cli_say(
        "%s: this orrery was built without libfyaml, which reads YAML; a plan in JSON can be read",
        path);
    return CLI_SKIPPED;
}

#else

#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

enum { DEEPEST = 16 };

struct reader {
    const char *path;
    int code, depth;
};

static tree *refuse(struct reader *r, int line, int column, const char *why)
{
    if (r->code == CLI_OK)
        cli_say("%s:%d:%d: %s", r->path, line, column, why);
    r->code = CLI_FILE;
    return NULL;
}

static void place(struct fy_node *n, int *line, int *column)
{
    const struct fy_mark *m = n && fy_node_is_scalar(n) && fy_node_get_scalar_token(n)
                                  ? fy_token_start_mark(fy_node_get_scalar_token(n))
                                  : NULL;
    if (m) {
        *line = m->line + 1;
        *column = m->column + 1;
    }
}

/* line, column: of what it is in, for nodes that do not know their own. */
static tree *convert(struct reader *r, struct fy_node *n, const char *key, int line, int column)
{
    tree *t = NULL, **end;
    void *at = NULL;
    size_t length;
    if (!key)
        place(n, &line, &column);
    if (n && fy_node_is_alias(n))
        return refuse(r, line, column, "an alias (*): plans have none");
    if (n && fy_node_get_tag(n, &length))
        return refuse(r, line, column, "a tag (!): plans have none");
    if (r->depth >= DEEPEST)
        return refuse(r, line, column, "too many levels within each other");
    r->depth++;
    if (!n || fy_node_is_scalar(n)) {
        const char *text = n ? fy_node_get_scalar0(n) : "";
        t = tree_new(TREE_TEXT, key, text ? text : "", line, column);
    } else if ((t = tree_new(fy_node_is_mapping(n) ? TREE_MAP : TREE_LIST, key, NULL, line,
                             column))) {
        end = &t->first;
        struct fy_node_pair *pair;
        struct fy_node *element;
        if (fy_node_is_mapping(n))
            while (r->code == CLI_OK && (pair = fy_node_mapping_iterate(n, &at))) {
                struct fy_node *k = fy_node_pair_key(pair);
                const char *name = k && fy_node_is_scalar(k) && !fy_node_is_alias(k)
                                       ? fy_node_get_scalar0(k)
                                       : NULL;
                int l = line, c = column;
                place(k, &l, &c);
                *end = name ? convert(r, fy_node_pair_value(pair), name, l, c)
                            : refuse(r, l, c, "a name that is no word");
                end = *end ? &(*end)->next : end;
            }
        else
            while (r->code == CLI_OK && (element = fy_node_sequence_iterate(n, &at))) {
                *end = convert(r, element, NULL, line, column);
                end = *end ? &(*end)->next : end;
            }
    }
    r->depth--;
    if (!t && r->code == CLI_OK)
        r->code = CLI_MEMORY;
    return t;
}

static void tell(struct reader *r, struct fy_diag *diag)
{
    void *at = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &at);
    refuse(r, e ? e->line : 1, e ? e->column : 1, e && e->msg ? e->msg : "no YAML");
}

int tree_yaml(tree **out, const char *path, const char *text)
{
    struct fy_diag_cfg how;
    struct reader r = {path, CLI_OK, 0};
    fy_diag_cfg_default(&how);
    how.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&how);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_ALLOW_DUPLICATE_KEYS, .diag = diag};
    struct fy_parser *parser = diag ? fy_parser_create(&cfg) : NULL;
    struct fy_document *d = NULL, *second = NULL;
    if (!parser || fy_parser_set_string(parser, text, strlen(text)) != 0)
        r.code = CLI_MEMORY;
    else if (!(d = fy_parse_load_document(parser)))
        tell(&r, diag);
    else if ((second = fy_parse_load_document(parser)))
        refuse(&r, 1, 1, "several documents (---): a plan is one");
    else if (fy_diag_got_error(diag))
        tell(&r, diag);
    else
        *out = convert(&r, fy_document_root(d), NULL, 1, 1);
    if (r.code != CLI_OK) {
        tree_free(*out);
        *out = NULL;
    }
    fy_parse_document_destroy(parser, second);
    fy_parse_document_destroy(parser, d);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return r.code;
}

#endif

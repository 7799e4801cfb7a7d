/* A case on paper: claims.json, claims.csv and a page of HTML beside its figures. */
#include "case.h"
#include <yoke/file.h>

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "1.4942 Hz" */
static void obtained_text(const struct yk_claim *c, char *text, size_t size)
{
    if (*c->message)
        snprintf(text, size, "none");
    else if (isnan(c->obtained))
        snprintf(text, size, "-");
    else if (isinf(c->obtained))
        snprintf(text, size, "none found");
    else
        snprintf(text, size, "%.8g%s%s", c->obtained, c->unit ? " " : "", c->unit ? c->unit : "");
}

/* ---- JSON ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *claim_json(const struct yk_claim *c)
{
    json_t *claim =
        json_pack("{s:s, s:s, s:s, s:s*, s:s*, s:s*, s:s*, s:s, s:s*, s:s*, s:s*, s:s*}", "claim", c->claim, "where",
                  c->where, "origin", yk_origin_text(c->origin), "published", c->published, "key", c->key, "guessed",
                  c->guessed, "counted", c->counted, "status", yk_claim_status_text(c->status), "why", c->why, "proof",
                  c->proof, "prototype", c->prototype, "unit", c->unit);

    json_object_update_new(claim, json_pack("{s:s, s:o, s:o, s:o, s:b, s:s, s:b, s:s*, s:s*}", "expected", c->expected,
                                            "low", number(c->low), "high", number(c->high), "obtained",
                                            number(c->obtained), "unbounded", isinf(c->obtained), "verdict",
                                            yk_claim_verdict_text(c), "checked", c->verdict != YK_NO_VERDICT, "message",
                                            *c->message ? c->message : NULL, "wrong", *c->wrong ? c->wrong : NULL));
    if (c->mutation != YK_NO_MUTATION)
        json_object_update_new(claim, json_pack("{s:o, s:b}", "wrong_obtained", number(c->wrong_obtained), "caught",
                                                c->mutation == YK_CAUGHT));
    return claim;
}

char *yk_case_json(const struct yk_case *c)
{
    json_t *claims = json_array(), *figures = json_array(), *all;
    char *text;

    for (size_t i = 0; i < c->claim_count; i++)
        json_array_append_new(claims, claim_json(&c->claims[i]));
    for (size_t i = 0; i < c->figure_count; i++) {
        char *caption = yk_case_figure_caption(c, i);

        json_array_append_new(figures, json_pack("{s:s, s:s, s:b}", "name", yk_case_figure_name(c, i), "caption",
                                                 caption ? caption : "", "cover", yk_case_figure_is_cover(c, i)));
        free(caption);
    }
    all = json_pack("{s:s, s:s, s:s, s:s*, s:b, s:f, s:o, s:o}", "id", c->id, "title", c->title, "source", c->source,
                    "about", c->about, "quick", c->quick, "seconds", c->seconds, "claims", claims, "figures", figures);
    text = all ? json_dumps(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(all);
    return text;
}

/* ---- HTML and CSV ---- */

static void html(FILE *out, const char *text)
{
    for (; text && *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void cell(FILE *out, const char *label, const char *text)
{
    fprintf(out, "<td data-label=\"%s\">", label);
    html(out, text);
    fputs("</td>", out);
}

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;color:#1b1b1b;background:#fff;max-width:62rem;margin:2rem auto;padding:0 "
    "1rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}p.source{color:#555;margin:0 0 1rem}"
    "table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #ddd}"
    "th{border-bottom:2px solid #444}td small{color:#555}"
    ".holds{color:#006b4f;font-weight:600}.fails{color:#b00020;font-weight:700}.none{color:#555}"
    "figure{margin:1.5rem 0}img{max-width:100%;height:auto}figcaption{color:#444}"
    "@media(max-width:40rem){thead{display:none}tr{display:block;border-bottom:2px solid #444;padding:.5rem 0}"
    "td{display:block;border:0;padding:.1rem 0}td::before{content:attr(data-label) \": \";color:#555}}";

/* A line below the claim. */
static void remark(FILE *out, const char *title, const char *text)
{
    if (!text)
        return;
    fprintf(out, "<br><small>%s", title);
    html(out, text);
    fputs("</small>", out);
}

static void write_claim(FILE *out, const struct yk_claim *c)
{
    char obtained[96];

    obtained_text(c, obtained, sizeof obtained);
    fputs("<tr><td data-label=\"claim\">", out);
    html(out, c->claim);
    fputs(" <small>", out);
    html(out, c->where);
    fputs("</small>", out);
    remark(out, "", c->why);
    remark(out, "Proof: ", c->proof);
    remark(out, "Guessed: ", c->guessed);
    remark(out, "Counted with: ", c->counted);
    if (c->mutation != YK_NO_MUTATION) {
        char value[64];

        snprintf(value, sizeof value, ": %.8g", c->wrong_obtained);
        remark(out, c->mutation == YK_CAUGHT ? "Fails as it must with " : "HOLDS WRONGLY with ", c->wrong);
        remark(out, "", value);
    }
    if (*c->message) {
        fputs("<br><small class=\"fails\">", out);
        html(out, c->message);
        fputs("</small>", out);
    }
    fputs("</td>", out);
    cell(out, "published", c->published ? c->published : "-");
    cell(out, "expected", c->expected);
    cell(out, "obtained", obtained);
    cell(out, "origin", yk_origin_text(c->origin));
    fprintf(out, "<td data-label=\"verdict\" class=\"%s\">%s</td></tr>\n",
            c->verdict == YK_FAILS ? "fails"
            : c->status == YK_MET  ? "holds"
                                   : "none",
            yk_claim_verdict_text(c));
}

static void write_html(FILE *out, const struct yk_case *c)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>",
          out);
    html(out, c->title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    html(out, c->title);
    fputs("</h1>\n<p class=\"source\">", out);
    html(out, c->id);
    fputs(", ", out);
    html(out, c->source);
    fputs("</p>\n", out);
    if (c->about) {
        fputs("<p>", out);
        html(out, c->about);
        fputs("</p>\n", out);
    }
    fputs("<table><thead><tr><th>claim</th><th>published</th><th>expected</th><th>obtained</th><th>origin</th>"
          "<th>verdict</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < c->claim_count; i++)
        write_claim(out, &c->claims[i]);
    fputs("</tbody></table>\n", out);
    for (size_t k = 0; k < c->figure_count; k++) {
        const char *name = yk_case_figure_name(c, k);
        char *caption = yk_case_figure_caption(c, k);

        fprintf(out, "<figure><img src=\"%s.svg\" alt=\"", name);
        html(out, caption);
        fputs("\"><figcaption>", out);
        html(out, caption);
        fprintf(out, " <a href=\"%s.csv\">data</a> <a href=\"%s.gp\">script</a></figcaption></figure>\n", name, name);
        free(caption);
    }
    fprintf(out,
            "<p class=\"source\">Computed in %.3g s. <a href=\"claims.csv\">claims.csv</a> "
            "<a href=\"claims.json\">claims.json</a></p>\n</body></html>\n",
            c->seconds);
}

static void csv(FILE *out, const char *text, const char *end)
{
    fputc('"', out);
    for (; text && *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text == '\n' ? ' ' : *text);
    fprintf(out, "\"%s", end);
}

static void write_csv(FILE *out, const struct yk_case *c)
{
    fputs("case,claim,where,origin,published,expected,obtained,unit,verdict\n", out);
    for (size_t i = 0; i < c->claim_count; i++) {
        const struct yk_claim *claim = &c->claims[i];

        csv(out, c->id, ",");
        csv(out, claim->claim, ",");
        csv(out, claim->where, ",");
        csv(out, yk_origin_text(claim->origin), ",");
        csv(out, claim->published, ",");
        csv(out, claim->expected, ",");
        fprintf(out, "%.10g,", claim->obtained);
        csv(out, claim->unit, ",");
        csv(out, yk_claim_verdict_text(claim), "\n");
    }
}

static void write_json(FILE *out, const struct yk_case *c)
{
    char *text = yk_case_json(c);

    fprintf(out, "%s\n", text ? text : "{}");
    free(text);
}

static enum yk_status write_file(const struct yk_case *c, const char *folder, const char *name,
                                 void (*write)(FILE *, const struct yk_case *), struct yk_err *err)
{
    char *path = NULL;
    enum yk_status st = YK_OK;
    FILE *out;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((out = yk_file_create_stream(path))) {
        write(out, c);
        const bool good = !ferror(out);

        if (fclose(out) || !good)
            st = yk_fail(err, YK_E_IO, "cannot write %s: %s", path, strerror(errno));
    } else {
        st = yk_fail(err, YK_E_IO, "cannot write %s: %s", path, strerror(errno));
    }
    free(path);
    return st;
}

enum yk_status yk_case_report(const struct yk_case *c, const char *folder, struct yk_err *err)
{
    enum yk_status st;

    if ((st = write_file(c, folder, "claims.json", write_json, err)) ||
        (st = write_file(c, folder, "claims.csv", write_csv, err)))
        return st;
    return write_file(c, folder, "index.html", write_html, err);
}

/* yoke reproduce: index.html over all claims, sorted by a click on the head of a column and filtered by a word. */
#include "pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void html(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Published results, "
    "recomputed</title>"
    "<style>body{font:16px/1.45 system-ui,sans-serif;color:#1b1b1b;background:#fff;max-width:80rem;margin:2rem auto;"
    "padding:0 1rem}h1{font-size:1.5rem}table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid #ddd}"
    "th{border-bottom:2px solid #444;background:#fff;white-space:nowrap}#claims th{position:sticky;top:0}"
    "th button{all:unset;cursor:pointer;font-weight:700}th button:focus-visible{outline:2px solid #005fcc}"
    "th[aria-sort=ascending] button::after{content:\" \\25B2\"}th[aria-sort=descending] button::after{content:\" "
    "\\25BC\"}td.n,th.n{text-align:right}.met{color:#006b4f}.fails{color:#b00020;font-weight:700}small{color:#555}"
    "input{font:inherit;padding:.2rem .4rem;width:22rem;max-width:100%}"
    "@media(max-width:50rem){#claims td:nth-child(3),#claims th:nth-child(3),#claims td:nth-child(5),"
    "#claims th:nth-child(5){display:none}}</style></head><body>\n<h1>Published results, recomputed</h1>\n";

/* Sorts the rows by the text of a cell, numbers as numbers; hides those without the words. */
static const char script[] =
    "<script>\nconst body=document.querySelector('#claims tbody'),heads=document.querySelectorAll('#claims th');\n"
    "heads.forEach((th,i)=>th.firstChild.addEventListener('click',()=>{\n"
    "  const up=th.getAttribute('aria-sort')!=='ascending';\n"
    "  heads.forEach(h=>h.removeAttribute('aria-sort'));\n"
    "  th.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "  [...body.rows].sort((a,b)=>(up?1:-1)*a.cells[i].textContent.localeCompare(b.cells[i].textContent,'en',"
    "{numeric:true})).forEach(r=>body.append(r));\n}));\n"
    "document.querySelector('input').addEventListener('input',e=>{\n"
    "  const words=e.target.value.toLowerCase().split(/\\s+/);\n"
    "  for(const r of body.rows)r.hidden=!words.every(w=>r.textContent.toLowerCase().includes(w));\n});\n</script>\n";

static void write_counts(FILE *out, const json_t *all)
{
    struct tally tally = {0};
    const json_t *made;
    char headline[160];
    size_t i;

    json_array_foreach(all, i, made)
    {
        reproduce_count(made, &tally);
    }
    reproduce_headline(&tally, headline, sizeof headline);
    fprintf(out, "<p>%zu cases, %zu claims. Reproduced: %s.</p>\n<table><thead><tr><th>origin</th>", tally.cases,
            tally.claims, headline);
    for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
        fprintf(out, "<th class=\"n\">%s</th>", reproduce_verdict(v));
    fputs("</tr></thead><tbody>\n", out);
    for (size_t o = 0; o < YK_ORIGINS; o++) {
        fprintf(out, "<tr><td>%s</td>", reproduce_origin(o));
        for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
            fprintf(out, "<td class=\"n\">%zu</td>", tally.count[o][v]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    html(out, text);
    fputs("</td>", out);
}

static void write_row(FILE *out, const char *id, const json_t *claim)
{
    const char *verdict = yk_json_text(claim, "verdict"), *slash = strchr(id, '/');
    char obtained[96];

    reproduce_obtained(claim, obtained, sizeof obtained);
    fprintf(out, "<tr><td>%.*s</td><td><a href=\"%s/index.html\">%s</a></td>", (int)(slash - id), id, id, slash + 1);
    cell(out, yk_json_text(claim, "where"));
    cell(out, yk_json_text(claim, "claim"));
    cell(out, yk_json_text(claim, "published"));
    cell(out, yk_json_text(claim, "expected"));
    cell(out, obtained);
    cell(out, yk_json_text(claim, "origin"));
    fprintf(out, "<td class=\"%s\">%s</td></tr>\n",
            strcmp(verdict, "met") == 0     ? "met"
            : strcmp(verdict, "FAILS") == 0 ? "fails"
                                            : "",
            verdict);
}

static void write_index(FILE *out, const json_t *all)
{
    static const char *const columns[] = {"paper",    "case",     "where",  "claim",  "published",
                                          "expected", "obtained", "origin", "verdict"};
    const json_t *made, *claim;
    size_t i, k;

    fputs(head, out);
    write_counts(out, all);
    fputs("<p><label>Show claims with the words <input type=\"search\" placeholder=\"stated 002 drift\"></label> "
          "<small>Click on the head of a column to sort by it.</small></p>\n<table id=\"claims\"><thead><tr>",
          out);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        fprintf(out, "<th><button>%s</button></th>", columns[c]);
    fputs("</tr></thead><tbody>\n", out);
    json_array_foreach(all, i, made)
    {
        json_array_foreach(json_object_get(made, "claims"), k, claim)
        {
            write_row(out, yk_json_text(made, "id"), claim);
        }
    }
    fprintf(out, "</tbody></table>\n%s</body></html>\n", script);
}

int reproduce_index(const struct wish *wish, const json_t *all)
{
    char *path = NULL;
    if (asprintf(&path, "%s/index.html", wish->folder) < 0)
        return 1;
    FILE *out = fopen(path, "w");
    bool good = out != NULL;
    if (out) {
        write_index(out, all);
        good = !ferror(out);
        good = fclose(out) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    free(path);
    return good ? 0 : 1;
}

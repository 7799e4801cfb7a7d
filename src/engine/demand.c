/* Demand of a test on its actuators beside their capacity, as JSON: for the summary and for a check. Units: m, N, s. */
#include "engine/engine.h"

#include "base/json.h"
#include "transfer/station.h"

#include <jansson.h>
#include <math.h>

const char *yk_use_word(enum yk_use use)
{
    static const char *const words[YK_USES] = {
        [YK_USE_STROKE] = "stroke", [YK_USE_SPEED] = "speed", [YK_USE_FORCE] = "force", [YK_USE_VALVE] = "valve"};

    return words[use];
}

static json_t *use_json(const struct yk_course_actuator *a, int k)
{
    json_t *used = isnan(a->capacity[k]) ? json_null() : yk_json_number(a->most[k]);

    if (k == YK_USE_VALVE)
        return json_pack("{s:o, s:f}", "used", used, "at_s", a->when[k]);
    return json_pack("{s:f, s:f, s:o, s:o}", "demand", a->demand[k], "at_s", a->asked[k], "capacity",
                     yk_json_number(a->capacity[k]), "used", used);
}

/* speed: the largest of the test, for the flow */
static json_t *sheet_json(const struct yk_plant_sheet *x, double moved, double speed)
{
    if (!(x->force > 0))
        return json_null();
    json_t *speeds = json_array();

    for (int i = 0; i < YK_SHEET_POINTS; i++)
        json_array_append_new(speeds, json_real(x->speed[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o}", "delay_s", yk_json_number(x->delay_s), "bandwidth_Hz",
                     yk_json_number(x->bandwidth_Hz), "oil_column_Hz", yk_json_number(x->column_Hz), "area_m2",
                     yk_json_number(x->area), "flow_m3_s", yk_json_number(x->area * speed), "force_N", x->force,
                     "moved_kg", moved, "speeds_m_s", speeds);
}

json_t *yk_demand_json(const struct yk_model *model, const struct yk_course *c)
{
    json_t *all = json_object();

    for (size_t i = 0; i < c->actuators; i++) {
        const struct yk_course_actuator *a = &c->of[i];
        json_t *one = json_pack("{s:f, s:f}", "power_W", a->power, "power_at_s", a->power_at);

        for (int k = 0; k < YK_USES; k++)
            json_object_set_new(one, yk_use_word((enum yk_use)k), use_json(a, k));
        json_object_set_new(one, "sheet", sheet_json(&c->sheet[i], c->moved[i], a->demand[YK_USE_SPEED]));
        json_object_set_new(all, yk_station_name(model->station, i), one);
    }
    return all;
}

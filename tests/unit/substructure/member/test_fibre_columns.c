/* Sections and columns of the reference results (OpenSees 3.8): reinforced concrete and steel, both formulations, three
 * geometries, in the plane and in space.
 *
 * Fibres may turn back within a step, so that results depend on the steps: those of the reference are taken, and every
 * few of them compared. The digits of the reference end at 1e-10. */
#include "support/check.h"
#include "support/fibres.h"

#include <math.h>
#include <stdlib.h>

/* Number of a step, from 0, and what the reference has then. */
struct row {
    size_t step;
    double value[4];
};

/* A path: where each leg ends, and its steps. */
struct leg {
    double to;
    size_t steps;
};

#define ROWS(table) table, sizeof table / sizeof *table
#define LEGS(path)  path, sizeof path / sizeof *path

/* Place at step i of a path from 0. */
static double place(const struct leg *legs, size_t count, size_t i)
{
    double from = 0;
    size_t leg = 0;

    for (; leg + 1 < count && i >= legs[leg].steps; leg++) {
        i -= legs[leg].steps;
        from = legs[leg].to;
    }
    return from + (legs[leg].to - from) * (double)(i + 1) / (double)legs[leg].steps;
}

/* ---- sections: axial strain, moment ---------------------------------------------------------------------------- */

static const struct row section_rc[] = {
    {0, {-0.0001610737088, 0}},           {4, {0.0004551709549, 337610.7257}},
    {9, {0.00183484547, 383372.982}},     {14, {0.0004526000534, 60543.14772}},
    {19, {0.000881494951, -354599.2035}}, {24, {0.0009183501818, -121596.1654}},
    {29, {0.001416782044, 333997.1687}},  {34, {0.004691574345, 382379.4472}},
    {39, {0.00348697312, 58656.97688}},   {44, {0.003511205281, 271750.7057}},
    {49, {0.001521600468, -20296.7823}},  {54, {0.0009476298327, -283260.684}},
    {59, {0.004728575033, -378210.7592}}, {64, {0.003013548731, -25294.49245}},
    {69, {0.0004734845104, 217148.0924}}, {74, {0.005246947826, 362252.4104}},
    {79, {0.009488380421, 376529.5283}},  {84, {0.00739151988, 28186.07464}},
    {89, {0.001653911899, -82129.89514}}, {94, {0.001703667386, -285233.6121}},
    {99, {0.0002501382714, 26267.86642}}, {100, {-0.0001689097305, 78675.6949}},
};

static const struct row section_i[] = {
    {0, {-0.0001817520901, 0}},
    {4, {-0.0001906604491, 120829.9932}},
    {9, {-0.0006575391752, 112586.9999}},
    {14, {-0.0005811751275, -77245.61252}},
    {19, {-0.0005733106771, -148308.3662}},
    {24, {-0.0006857831428, 95170.81684}},
    {29, {-0.001134673655, 155261.9802}},
    {34, {-0.001632474602, 39011.45815}},
    {39, {-0.001584281818, 9322.089606}},
    {44, {-0.001541687128, -104443.3188}},
    {49, {-0.002028107928, -152937.7958}},
    {54, {-0.002985460437, -162208.8599}},
    {59, {-0.003562857997, 12517.52585}},
    {64, {-0.003589932724, 128779.1227}},
    {69, {-0.004217513313, 151411.7923}},
    {74, {-0.004907960053, 162402.4704}},
    {79, {-0.005376177066, -21389.7648}},
    {84, {-0.00549726758, -127837.1708}},
    {87, {-0.005777792557, -143757.9222}},
};

static const struct leg rc_curvatures[] = {{0.02, 10},  {-0.02, 12}, {0.05, 14},  {0.02, 5}, {0.04, 4},
                                           {-0.05, 16}, {0.1, 20},   {-0.03, 14}, {0, 5}};
static const struct leg i_curvatures[] = {{0.015, 8}, {-0.015, 12}, {0.04, 12}, {0.02, 5},
                                          {0.03, 4},  {-0.06, 16},  {0.08, 20}, {0, 10}};

/* Row 0 is the section under N alone, row i curvature i of the path. */
static void check_section(struct yk_fibre_section *section, double N, const struct leg *legs, size_t count,
                          const struct row *rows, size_t row_count, double strain_scale, double moment_scale)
{
    const size_t doubles = yk_fibre_section_memory(section, 1);
    double *committed = calloc(doubles, sizeof *committed), *trial = calloc(doubles, sizeof *trial);
    double *scratch = calloc(yk_fibre_section_scratch(section, 1), sizeof *scratch);
    double e[3][YK_POINTS] = {{0}}, s[3][YK_POINTS], ks[6][YK_POINTS];
    size_t row = 0;

    yk_fibre_section_rest(section, 1, committed);
    for (size_t i = 0; row < row_count; i++) {
        double *kept = committed, change = 1;

        e[1][0] = i ? place(legs, count, i - 1) : 0;
        for (int pass = 0; fabs(change) > 1e-16 && pass < 50; pass++) { /* cracks: the change is limited */
            yk_fibre_section_state(section, 1, committed, e, 0, trial, s, ks, scratch);
            change = fmax(-3e-4, fmin(3e-4, (N - s[0][0]) / ks[0][0]));
            e[0][0] += change;
        }
        assert_near(s[0][0], N, 1e-4);
        if (i == rows[row].step) {
            assert_near(e[0][0], rows[row].value[0], 1e-8 * strain_scale);
            assert_near(s[1][0], rows[row].value[1], 1e-8 * moment_scale);
            row++;
        }
        committed = trial;
        trial = kept;
    }
    free(committed);
    free(trial);
    free(scratch);
    yk_fibre_section_release(section);
}

static void sections_bend_as_the_reference(void **state)
{
    for (int plane = 0; plane < 2; plane++) {
        check_section(fibres_rc(plane), -800e3, LEGS(rc_curvatures), ROWS(section_rc), 1e-2, 4e5);
        check_section(fibres_i(plane), -200e3, LEGS(i_curvatures), ROWS(section_i), 1e-2, 1.5e5);
    }
}

/* ---- columns: shear, moment at the base, axial displacement and rotation of the tip ------------------------------ */

static const struct row rc_disp_pushover[] = {
    {9, {119315.1134, 357945.3402, 7.746188126e-06, -0.009113046411}},
    {19, {142561.7557, 427685.2672, 0.001009362988, -0.01723879788}},
    {29, {147826.8086, 443480.4258, 0.001947205438, -0.02487625075}},
    {39, {145137.4778, 435412.4333, 0.002748689601, -0.03223697968}},
    {49, {143858.2542, 431574.7625, 0.003515600912, -0.03965577105}},
    {59, {143551.2372, 430653.7114, 0.004289418501, -0.0471038467}},
};
static const struct row rc_disp_cyclic[] = {
    {19, {663.6281087, 1990.884415, -0.0005669955283, -4.950822523e-06}},
    {39, {-124773.4594, -374320.3783, 0.0001312770023, 0.009762605032}},
    {59, {146986.1511, 440958.4533, 0.001973210958, -0.0248246315}},
    {79, {-138537.0387, -415611.1162, 0.001146612219, 0.01710195486}},
    {99, {84893.82082, 254681.4624, -2.309008824e-05, -0.008594363664}},
    {119, {37501.27458, 112503.8238, 0.001721793463, -0.02139440836}},
    {139, {-14163.0912, -42489.27344, 5.473550991e-05, -0.007234030311}},
    {159, {-141306.3447, -423919.0339, 0.002619308125, 0.02904135448}},
    {179, {20634.72751, 61904.18276, -0.0003224781241, 0.003394564784}},
    {181, {37879.63245, 113638.8975, -0.0005183193017, -0.0004751288723}},
};
static const struct row rc_disp_pushover_pdelta[] = {
    {9, {113263.4066, 355790.2197, 8.134341565e-06, -0.009131515664}},
    {19, {131022.5292, 425067.5876, 0.001011217444, -0.01728718255}},
    {29, {130894.8152, 440684.4454, 0.001958132317, -0.02495300624}},
    {39, {122689.1884, 432067.5651, 0.002775381847, -0.03232952998}},
    {49, {115833.3983, 427500.1947, 0.003557275388, -0.03976539475}},
    {59, {109922.2932, 425766.8795, 0.004349208228, -0.04723845825}},
};
static const struct row rc_disp_cyclic_corotational[] = {
    {19, {656.0100118, 1967.658019, -0.0005672329869, -4.836217028e-06}},
    {39, {-118297.4946, -372040.6369, 4.47677101e-05, 0.009784360516}},
    {59, {129986.4987, 438133.4369, 0.001338144371, -0.02489894083}},
    {79, {-127056.8474, -413279.5707, 0.0008581083023, 0.01715148222}},
    {99, {79292.52601, 253870.2394, -9.255102528e-05, -0.00862344041}},
    {119, {22377.66115, 112159.7929, 0.001198043755, -0.02143800824}},
    {139, {-19371.80076, -42115.39168, -5.369192457e-07, -0.007255715026}},
    {159, {-121149.0183, -420989.4216, 0.001725425604, 0.02912340257}},
    {179, {23029.18178, 61079.91541, -0.0003313250356, 0.003411250105}},
    {181, {37283.60609, 111831.4621, -0.0005191652245, -0.000470468517}},
};
static const struct row rc_force_pushover[] = {
    {9, {117505.913, 352517.7389, 9.837564337e-06, -0.00900738629}},
    {19, {126794.9755, 380384.9264, 0.0008428613803, -0.0160750875}},
    {29, {127458.7914, 382376.3741, 0.001522025743, -0.02275902152}},
    {39, {128420.11, 385260.3301, 0.002127232937, -0.02945069427}},
    {49, {129253.4656, 387760.3967, 0.002726641841, -0.0361390384}},
    {59, {130793.055, 392379.165, 0.003322268265, -0.04284575328}},
};
static const struct row rc_force_cyclic[] = {
    {19, {635.7348588, 1907.20459, -0.0005657827625, -4.595071346e-06}},
    {39, {-118767.0242, -356301.0726, 0.0001098091071, 0.009521102928}},
    {59, {126893.9383, 380681.8149, 0.001533240544, -0.02273296602}},
    {79, {-122967.8417, -368903.5252, 0.0009217852375, 0.01595265153}},
    {99, {81868.27152, 245604.8145, -0.0001248773693, -0.00822101698}},
    {119, {7126.184341, 21378.55302, 0.00126288745, -0.01886913217}},
    {139, {-28209.25721, -84627.77162, -8.319904404e-06, -0.006265817609}},
    {157, {-125367.5274, -376102.5823, 0.001704747825, 0.02351750194}},
    {159, {-126027.6607, -378082.9822, 0.001886073682, 0.02659106058}},
    {161, {-127556.9371, -382670.8113, 0.002147785646, 0.02968708879}},
    {169, {-16741.12184, -50223.36551, 0.001385650113, 0.02024595436}},
    {179, {33947.18129, 101841.5439, -0.0002989635253, 0.002826941831}},
    {181, {41395.70648, 124187.1194, -0.0005200708336, -0.0006408281584}},
};
static const struct row rc_force_pushover_pdelta[] = {
    {9, {112172.5796, 352517.7389, 9.837564337e-06, -0.00900738629}},
    {19, {116128.3088, 380384.9264, 0.0008428613803, -0.0160750875}},
    {29, {111458.7914, 382376.3741, 0.001522025743, -0.02275902152}},
    {39, {107086.7767, 385260.3301, 0.002127232937, -0.02945069427}},
    {49, {102586.7989, 387760.3967, 0.002726641841, -0.0361390384}},
    {59, {98793.055, 392379.165, 0.003322268265, -0.04284575328}},
};
static const struct row rc_force_cyclic_corotational[] = {
    {19, {635.1410357, 1905.063786, -0.0005657346678, -4.590716695e-06}},
    {39, {-113009.7607, -356176.0068, 3.422421247e-05, 0.009520657875}},
    {59, {110821.8539, 380571.1841, 0.0009530837094, -0.02272563712}},
    {79, {-112227.1432, -368755.3327, 0.0006585134787, 0.01594928396}},
    {99, {76788.42812, 246350.9776, -0.0001863141859, -0.008227981361}},
    {119, {-7770.926058, 21681.48659, 0.0007380373731, -0.01886374715}},
    {139, {-33490.50087, -84469.01285, -7.434205152e-05, -0.006266827571}},
    {159, {-106771.853, -377759.5104, 0.001036021659, 0.02657832297}},
    {179, {36591.2105, 101762.0951, -0.0003152791973, 0.002827841085}},
    {181, {41386.52775, 124138.0672, -0.0005198798021, -0.0006404464235}},
};
static const struct row i_disp_pushover[] = {
    {9, {36215.66261, 108646.9878, -0.0005454566702, -0.009999166589}},
    {19, {55876.39984, 167629.1995, -0.0007599696396, -0.01876330042}},
    {29, {58482.95353, 175448.8606, -0.0009754804136, -0.02622983076}},
    {39, {59705.57861, 179116.7358, -0.001159681882, -0.03362867884}},
    {49, {60635.11145, 181905.3343, -0.001362230478, -0.04102351546}},
    {59, {61485.89187, 184457.6756, -0.00155417708, -0.04841255153}},
};
static const struct row i_disp_cyclic[] = {
    {19, {1.619329389, 4.857988191, -0.0005452900321, -1.287097483e-07}},
    {39, {-41105.1891, -123315.5673, -0.0005995769558, 0.0108815579}},
    {59, {58357.03219, 175071.0966, -0.0009715233327, -0.0262233213}},
    {79, {-54308.54461, -162925.634, -0.0009170954102, 0.01850833599}},
    {99, {43940.57807, 131821.7342, -0.001035064052, -0.01063055732}},
    {119, {1585.876656, 4757.629968, -0.001273904108, -0.02058856626}},
    {139, {-35451.5494, -106354.6482, -0.001257422341, -0.004660220065}},
    {159, {-57805.01844, -173415.0554, -0.001433330022, 0.0302612594}},
    {179, {38079.53294, 114238.5988, -0.0015678237, 0.0006958537326}},
    {181, {42254.97558, 126764.9267, -0.001570089715, -0.003242483092}},
};
static const struct row i_disp_pushover_pdelta[] = {
    {9, {34636.37583, 107909.1275, -0.0005454386313, -0.01001766882}},
    {19, {53033.71362, 167101.1409, -0.0007616873798, -0.01881609751}},
    {29, {54286.12503, 174858.3751, -0.0009824188105, -0.02629843862}},
    {39, {54133.68559, 178401.0568, -0.001173852148, -0.03371146293}},
    {49, {53683.69303, 181051.0791, -0.001382086696, -0.04111871227}},
    {59, {53163.959, 183491.877, -0.001582605324, -0.04852218101}},
};
static const struct row i_force_pushover[] = {
    {9, {36214.0966, 108642.2898, -0.000545481925, -0.009998983562}},
    {19, {53531.22766, 160593.683, -0.0007630323684, -0.01834372085}},
    {29, {56212.19419, 168636.5826, -0.001046603845, -0.02536793552}},
    {39, {58427.61348, 175282.8404, -0.001289713288, -0.03237662983}},
    {49, {60495.92759, 181487.7828, -0.001538666697, -0.03943808256}},
    {59, {62226.17588, 186678.5277, -0.00179399172, -0.04666248999}},
};
static const struct row i_force_cyclic[] = {
    {19, {1.676578017, 5.02973405, -0.0005452909332, -1.376629701e-07}},
    {39, {-41127.20077, -123381.6023, -0.0006020535386, 0.01090138035}},
    {59, {56130.61551, 168391.8465, -0.001054072935, -0.02535795461}},
    {79, {-52600.85354, -157802.5606, -0.001210020148, 0.01814774952}},
    {99, {46149.20572, 138447.6172, -0.001443360253, -0.01092966084}},
    {119, {718.0295628, 2154.088689, -0.001839251816, -0.01927748186}},
    {139, {-38664.85883, -115994.5765, -0.001826254941, -0.00347250202}},
    {159, {-57634.26615, -172902.7985, -0.002158097497, 0.02935055281}},
    {179, {40812.37483, 122437.1245, -0.002260675347, -0.0002804130728}},
    {181, {44291.90586, 132875.7176, -0.002275924253, -0.004003874124}},
};
static const struct row i_force_pushover_pdelta[] = {
    {9, {34880.76327, 108642.2898, -0.000545481925, -0.009998983562}},
    {19, {50864.561, 160593.683, -0.0007630323684, -0.01834372085}},
    {29, {52212.19419, 168636.5826, -0.001046603845, -0.02536793552}},
    {39, {53094.28015, 175282.8404, -0.001289713288, -0.03237662983}},
    {49, {53829.26093, 181487.7828, -0.001538666697, -0.03943808256}},
    {59, {54226.17589, 186678.5277, -0.00179399172, -0.04666248999}},
};
static const struct row i_force_cyclic_corotational[] = {
    {19, {1.67902266, 5.036152424, -0.0005452909695, -1.378379554e-07}},
    {39, {-39712.24517, -123395.5361, -0.0006777182219, 0.010903362}},
    {59, {52175.97925, 168441.9229, -0.001648552804, -0.02536698404}},
    {79, {-49964.35625, -157819.538, -0.001471665048, 0.0181543968}},
    {99, {44843.84033, 138464.0988, -0.00150348803, -0.01093312847}},
    {119, {-3065.264169, 2061.430138, -0.002356288529, -0.01928526544}},
    {139, {-40042.48166, -116051.9878, -0.001884428434, -0.003473327428}},
    {159, {-52919.11468, -172931.9578, -0.002999286692, 0.02937138159}},
    {179, {41530.53254, 122497.501, -0.002265722702, -0.0002798134834}},
    {181, {44339.63015, 132918.4929, -0.002264285225, -0.004005067159}},
};

static const struct leg pushover[] = {{0.12, 60}};
static const struct leg cyclic[] = {{0.015, 6}, {-0.015, 10}, {0.03, 12}, {-0.03, 14}, {0.06, 18}, {-0.06, 24},
                                    {0.09, 30}, {0.045, 8},   {0.075, 6}, {-0.09, 36}, {0, 18}};

static const struct {
    bool rc, force, cyclic;
    enum yk_geometry geometry;
    const struct row *rows;
    size_t count;
} columns[] = {
    {true, false, false, YK_GEOMETRY_LINEAR, ROWS(rc_disp_pushover)},
    {true, false, true, YK_GEOMETRY_LINEAR, ROWS(rc_disp_cyclic)},
    {true, false, false, YK_GEOMETRY_P_DELTA, ROWS(rc_disp_pushover_pdelta)},
    {true, false, true, YK_GEOMETRY_COROTATIONAL, ROWS(rc_disp_cyclic_corotational)},
    {true, true, false, YK_GEOMETRY_LINEAR, ROWS(rc_force_pushover)},
    {true, true, true, YK_GEOMETRY_LINEAR, ROWS(rc_force_cyclic)},
    {true, true, false, YK_GEOMETRY_P_DELTA, ROWS(rc_force_pushover_pdelta)},
    {true, true, true, YK_GEOMETRY_COROTATIONAL, ROWS(rc_force_cyclic_corotational)},
    {false, false, false, YK_GEOMETRY_LINEAR, ROWS(i_disp_pushover)},
    {false, false, true, YK_GEOMETRY_LINEAR, ROWS(i_disp_cyclic)},
    {false, false, false, YK_GEOMETRY_P_DELTA, ROWS(i_disp_pushover_pdelta)},
    {false, true, false, YK_GEOMETRY_LINEAR, ROWS(i_force_pushover)},
    {false, true, true, YK_GEOMETRY_LINEAR, ROWS(i_force_cyclic)},
    {false, true, false, YK_GEOMETRY_P_DELTA, ROWS(i_force_pushover_pdelta)},
    {false, true, true, YK_GEOMETRY_COROTATIONAL, ROWS(i_force_cyclic_corotational)},
};

static struct yk_fibre_element settings_of(bool force)
{
    struct yk_fibre_element settings =
        yk_fibre_element_defaults(force ? YK_FIBRE_FORCE : YK_FIBRE_DISPLACEMENT); /* 5 iterations are enough */

    settings.GJ = 1e8;
    return settings;
}

static struct member_frame *column_of(bool rc, bool force, bool plane, enum yk_geometry geometry)
{
    return fibres_column(rc ? fibres_rc(plane) : fibres_i(plane), settings_of(force), force ? 1 : 4, geometry,
                         rc ? 800e3 : 200e3);
}

/* In the column `rc force cyclic` concrete softens: full steps of Newton's method go in circles at step 159, and have
 * to be cut. */
static void columns_follow_the_reference(void **state)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct member_frame *column = column_of(columns[i].rc, columns[i].force, true, columns[i].geometry);
        const double *tip = &column->u[(column->nodes - 1) * 6], shear_scale = columns[i].rc ? 1.3e5 : 6e4;
        size_t step = 0;

        for (size_t row = 0; row < columns[i].count; row++) {
            const double *value = columns[i].rows[row].value;
            double shear = 0;

            for (; step <= columns[i].rows[row].step; step++) {
                shear =
                    fibres_push(column, 0, columns[i].cyclic ? place(LEGS(cyclic), step) : place(LEGS(pushover), step));
                assert_false(column->bounded);
            }
            assert_near(shear, value[0], 1e-8 * shear_scale);
            assert_near(column->f[5], value[1], 1e-8 * 3 * shear_scale);
            assert_near(tip[1], value[2], 1e-8 * 5e-3);
            assert_near(tip[5], value[3], 1e-8 * 0.04);
        }
        frame_destroy(column);
    }
}

/* With one element and P-Delta the shear is that of linear geometry less P tip/H, exactly. */
static void p_delta_of_one_element_takes_P_tip_over_H_from_the_shear(void **state)
{
    struct member_frame *linear = column_of(true, true, true, YK_GEOMETRY_LINEAR);
    struct member_frame *leaning = column_of(true, true, true, YK_GEOMETRY_P_DELTA);

    for (size_t i = 0; i < 60; i++) {
        const double tip = place(LEGS(pushover), i);

        assert_near(fibres_push(leaning, 0, tip), fibres_push(linear, 0, tip) - 800e3 * tip / 3, 1e-5);
    }
    frame_destroy(linear);
    frame_destroy(leaning);
}

/* ---- in space ---------------------------------------------------------------------------------------------------- */

static void column_in_space_moved_in_one_plane_is_the_plane_one(void **state)
{
    for (int force = 0; force < 2; force++) {
        struct member_frame *plane = column_of(true, force, true, YK_GEOMETRY_P_DELTA);
        struct member_frame *space = column_of(true, force, false, YK_GEOMETRY_P_DELTA);

        for (size_t i = 0; i < 84; i++) {
            const double tip = place(LEGS(cyclic), i);

            assert_near(fibres_push(space, 0, tip), fibres_push(plane, 0, tip), 1e-4);
            assert_near(space->f[(space->nodes - 1) * 6 + 1], 0, 1e-4);
        }
        frame_destroy(plane);
        frame_destroy(space);
    }
}

/* Forces along x and y, axial displacement. */
static const struct row biaxial[] = {
    {3, {79879.6582, 28341.39618, -0.0003310109388}},    {7, {112448.0337, 40693.96907, 9.025244707e-05}},
    {11, {127652.9098, 45470.47409, 0.0005992098422}},   {15, {137546.5373, 31369.37688, 0.001019090978}},
    {19, {142709.109, 19515.53846, 0.001470343164}},     {23, {146033.1879, 9728.203216, 0.001907062482}},
    {27, {114170.5579, 30957.08254, 0.001587854007}},    {31, {83194.95703, 49018.82832, 0.001334163148}},
    {35, {54660.11967, 63540.68604, 0.001146311748}},    {39, {27989.71336, 76605.36578, 0.001020394431}},
    {43, {7042.989685, 84461.91852, 0.001094203022}},    {47, {-25809.27222, 62680.39873, 0.0006646555871}},
    {51, {-53352.93157, 45765.98904, 0.0002597010061}},  {55, {-83549.65995, 29000.81944, 4.839570806e-05}},
    {59, {-113027.5073, 9933.667478, 0.0002390927384}},  {63, {-127968.7152, -11141.81646, 0.0006713501263}},
    {67, {-87272.05708, -10966.01678, 0.0002020828921}}, {71, {-45692.72271, -11238.12725, -0.0002432558579}},
    {75, {2382.135626, -12057.11524, -0.0005524511267}},
};

static void column_in_space_follows_the_reference_in_two_directions(void **state)
{
    static const struct leg x[] = {{0.03, 12}, {0.06, 12}, {0.02, 20}, {-0.03, 20}, {0, 12}};
    static const struct leg y[] = {{0.02, 12}, {0.01, 12}, {0.05, 20}, {0, 20}, {0, 12}};
    struct member_frame *column = column_of(true, false, false, YK_GEOMETRY_LINEAR);
    const size_t tip = (column->nodes - 1) * 6;
    size_t step = 0;

    for (size_t row = 0; row < sizeof biaxial / sizeof *biaxial; row++) {
        for (; step <= biaxial[row].step; step++) {
            column->u[tip] = place(LEGS(x), step);
            fibres_push(column, 1, place(LEGS(y), step));
        }
        assert_near(column->f[tip], biaxial[row].value[0], 1e-8 * 1.5e5);
        assert_near(column->f[tip + 1], biaxial[row].value[1], 1e-8 * 1.5e5);
        assert_near(column->u[tip + 2], biaxial[row].value[2], 1e-8 * 5e-3);
    }
    frame_destroy(column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_bend_as_the_reference),
        cmocka_unit_test(columns_follow_the_reference),
        cmocka_unit_test(p_delta_of_one_element_takes_P_tip_over_H_from_the_shear),
        cmocka_unit_test(column_in_space_moved_in_one_plane_is_the_plane_one),
        cmocka_unit_test(column_in_space_follows_the_reference_in_two_directions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

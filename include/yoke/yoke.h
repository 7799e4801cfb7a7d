/* Everything another program may use. */
#ifndef YOKE_H
#define YOKE_H

#include <yoke/analyze.h>
#include <yoke/arena.h>
#include <yoke/bench.h>
#include <yoke/calibrated_rig.h>
#include <yoke/clock.h>
#include <yoke/coupling.h>
#include <yoke/doctor.h>
#include <yoke/efc.h>
#include <yoke/engine.h>
#include <yoke/experiment.h>
#include <yoke/figure.h>
#include <yoke/force_monitor.h>
#include <yoke/frame.h>
#include <yoke/identify.h>
#include <yoke/import.h>
#include <yoke/inspect.h>
#include <yoke/integrator.h>
#include <yoke/law.h>
#include <yoke/linalg.h>
#include <yoke/param.h>
#include <yoke/physical.h>
#include <yoke/plugin.h>
#include <yoke/read.h>
#include <yoke/record.h>
#include <yoke/reduce.h>
#include <yoke/reproduce.h>
#include <yoke/rig.h>
#include <yoke/ring.h>
#include <yoke/serve.h>
#include <yoke/setup.h>
#include <yoke/signal.h>
#include <yoke/specimen.h>
#include <yoke/station.h>
#include <yoke/status.h>
#include <yoke/substructure.h>
#include <yoke/supervisor.h>
#include <yoke/system.h>
#include <yoke/telemetry.h>
#include <yoke/transfer.h>
#include <yoke/units.h>
#include <yoke/virtual_rig.h>

#endif

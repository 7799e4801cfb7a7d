#!/usr/bin/env bash
# Recordings and modes for other programs: HDF5 with attributes, VTKHDF, a DesignSafe folder, results.out.
set -u
yoke=$(realpath "$1")/yoke
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "$1"; exit 1; }
examples=$YOKE_SOURCE/examples

"$yoke" run "$examples/spring-specimen/spring-specimen.yaml" --set time.end=1 -q -o test >/dev/null || fail "no run"
"$yoke" run "$examples/viaduct/as-built.yaml" --set time.end=0.5 -q --no-report -o viaduct >/dev/null || fail "no run of the viaduct"
"$yoke" export test --hdf5 columns.h5 && "$yoke" export test --csv steps.csv || fail "no HDF5"
"$yoke" export viaduct --vtk viaduct.vtkhdf --frames 11 && "$yoke" export viaduct --csv viaduct.csv || fail "no VTKHDF"
"$yoke" model info "$examples/imported-frame/imported-frame.yaml" --substructure frame --modes 3 --vtk modes.vtkhdf >/dev/null || fail "no modes"

"$yoke" export test --designsafe folder || fail "no folder"
for file in README.md channels.json global-model/spring-specimen.yaml coordinator-output/steps.csv coordinator-output/run.h5 experimental-output/ticks.csv \
    simulation-substructures/frame.json experimental-substructures/specimen.json report/summary.json report/report.html; do
    [ -s "folder/$file" ] || fail "the folder lacks $file"
done
cmp folder/coordinator-output/steps.csv steps.csv || fail "another table in the folder"
"$yoke" export test --designsafe folder 2>words && fail "a folder was written twice"

(trap '' XFSZ; ulimit -f 64; exec "$yoke" export test --designsafe cut) 2>words && fail "a folder that was cut off"
grep -q 'cannot write cut/.*: File too large' words || fail "a folder that was cut off: $(cat words)"
[ ! -e cut ] || fail "a part of a folder was left: $(find cut)"

"$yoke" export test --results peaks.frame.x.u,errors.displacement_nrms || fail "no results"
[ "$(wc -l <results.out) $(wc -w <results.out)" = "1 2" ] || fail "results.out: $(cat results.out)"
"$yoke" export test --results peaks.nothing --results-file no.out 2>words && fail "a figure that is not there"
grep -q "no number 'peaks.nothing'" words && [ ! -e no.out ] || fail "$(cat words)"
"$yoke" export test --vtk none.vtkhdf 2>words && fail "a structure without coordinates has a shape"
grep -q 'has coordinates' words || fail "$(cat words)"

/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || { echo "the contents are not read (Debian: python3-h5py)"; exit 0; }
/usr/bin/python3 - <<'PYTHON' || fail "the contents are wrong"
import csv, h5py, numpy
def table(name):
    rows = list(csv.reader(open(name)))
    return dict(zip(rows[0], numpy.array(rows[1:], float).T))
steps, file = table("steps.csv"), h5py.File("columns.h5")
assert set(steps) == set(file)
for name in steps:
    assert (file[name][:] == steps[name]).all(), name
assert file["frame.x.u"].attrs["units"] == b"m" and file["frame.x.u"].attrs["long_name"] == b"frame, displacement", dict(file["frame.x.u"].attrs)
viaduct, grid = table("viaduct.csv"), h5py.File("viaduct.vtkhdf")["VTKHDF"]
times, points = grid["Steps/Values"][:], grid["NumberOfPoints"][0]
assert len(times) == grid["Steps"].attrs["NSteps"] == 11 and times[0] == 0 and times[-1] == viaduct["time"][-1]
shape = grid["PointData/displacement"][:].reshape(11, points, 3)
rows = [list(viaduct["time"]).index(t) for t in times]
largest = max(abs(viaduct[name][rows]).max() for name in viaduct if name.endswith((".x.u", ".y.u", ".z.u")) and not name.startswith("reference"))
assert abs(shape).max() == largest > 0
assert grid["Offsets"][-1] == grid["NumberOfConnectivityIds"][0] and grid["Connectivity"][:].max() < points
try:
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError:
    print("no VTK: the shapes are not read by their own reader")
else:
    reader = vtkHDFReader()
    reader.SetFileName("modes.vtkhdf")
    reader.Update()
    out = reader.GetOutput()
    assert out.GetNumberOfPoints() == 9 and out.GetNumberOfCells() == 8 and out.GetPointData().GetNumberOfArrays() == 3
PYTHON

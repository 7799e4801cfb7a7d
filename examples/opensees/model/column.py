"""The column of the first storey: an elastoplastic spring in OpenSeesPy, moved by Yoke."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, '../../../tools/opensees'),  # of the sources, of the package, of `make install`
                 os.path.join(HERE, '../../../../../yoke/opensees'), '/usr/local/share/yoke/opensees',
                 '/usr/share/yoke/opensees']
import openseespy.opensees as ops  # noqa: E402
import yoke_serve  # noqa: E402


def build():
    ops.wipe()
    ops.model('basic', '-ndm', 1, '-ndf', 1)
    ops.node(1, 0.0)
    ops.node(2, 0.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial('ElasticPP', 1, 20000.0, 0.015)  # N/m, m
    ops.element('zeroLength', 1, 1, 2, '-mat', 1, '-dir', 1)


yoke_serve.serve(build, [(2, 1)])

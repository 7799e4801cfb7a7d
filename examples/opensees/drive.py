"""A frame of two floors in OpenSeesPy. The column of its first storey is on the rig of Yoke (element genericClient).

usage: drive.py [PORT] [DT]"""
import sys

import openseespy.opensees as ops

port = int(sys.argv[1]) if len(sys.argv) > 1 else 8090
dt = float(sys.argv[2]) if len(sys.argv) > 2 else 0.01

ops.wipe()
ops.model('basic', '-ndm', 1, '-ndf', 1)
for tag in (1, 2, 3):
    ops.node(tag, 0.0)
ops.fix(1, 1)
ops.mass(2, 900.0)
ops.mass(3, 600.0)
ops.uniaxialMaterial('Elastic', 1, 15000.0)
ops.element('zeroLength', 1, 2, 3, '-mat', 1, '-dir', 1)
ops.element('genericClient', 2, '-node', 2, '-dof', 1, '-server', port, '127.0.0.1')
ops.setNodeVel(2, 1, 0.1, '-commit')
ops.setNodeVel(3, 1, -0.2, '-commit')
ops.constraints('Plain')
ops.numberer('Plain')
ops.system('BandGeneral')
ops.test('NormUnbalance', 1e-8, 10)
ops.algorithm('Linear')
ops.integrator('NewmarkExplicit', 0.5)
ops.analysis('Transient')
with open('drive.out', 'w') as out:
    for k in range(1, round(1 / dt) + 1):
        if ops.analyze(1, dt) != 0:
            raise SystemExit('step %d failed' % k)
        out.write('%.17g %.17g %.17g\n' % (k * dt, ops.nodeDisp(2, 1), ops.nodeDisp(3, 1)))
ops.wipe()  # tells the server that the session is over

"""Serves a model in OpenSeesPy to Yoke: `kind: opensees`, or `backend: opensees` with `server: element`.

    import openseespy.opensees as ops
    import yoke_serve

    def build():
        ops.wipe()
        ops.model('basic', '-ndm', 1, '-ndf', 1)
        ...
    yoke_serve.serve(build, [(2, 1)])        # displacements of node 2, direction 1; the port is the last argument

Yoke imposes displacements on these degrees of freedom and gets the forces that hold them. Every trial starts from the
last committed state: the state is saved (`database`, `save`) at each commit and restored before the next trial, since
`analyze` accepts what it computes. `restore` replaces the nodes of the model, so the analysis, which holds the old ones,
is wiped before and set up again after it. With `trials=False` nothing is saved: for `backend: opensees`, where each step
is tried once.

The state is kept in files of YOKE_FOLDER, which Yoke makes and removes; without it, of a temporary folder. Where Yoke
has started the script (YOKE_PID) and is no more, the script ends.

The wire is that of `element genericClient`: vectors of doubles, little-endian; the first number is the action."""
import os
import shutil
import socket
import struct
import sys
import tempfile

import openseespy.opensees as ops

TRIAL, COMMIT, FORCE, INITIAL, TANGENT, DAMP, MASS, DIE = 3, 5, 10, 12, 13, 14, 15, 99
SERIES = PATTERN = 987654  # tags that a model hardly uses
STATE = 1


class Closed(Exception):
    pass


def receive(connection, size):
    raw = b''
    while len(raw) < size:
        more = connection.recv(size - len(raw))
        if not more:
            raise Closed
        raw += more
    return raw


class Model:
    """A model whose `controlled` degrees of freedom, pairs of node and direction, are moved."""

    def __init__(self, build, controlled, dt, trials):
        self.build, self.controlled, self.dt, self.trials = build, controlled, dt, trials
        self.given = os.environ.get('YOKE_FOLDER')
        self.folder = self.given or tempfile.mkdtemp(prefix='yoke_serve')
        self.stiffness = None
        self.reset()

    def reset(self):
        """The model as it was built, at rest."""
        self.build()
        ops.timeSeries('Constant', SERIES)
        self.has_pattern = False
        self.moved = False
        self.set_analysis()
        if self.trials:
            ops.database('File', os.path.join(self.folder, 'state'))
            ops.save(STATE)
        self.force = [0.0] * len(self.controlled)

    def set_analysis(self):
        ops.constraints('Transformation')
        ops.numberer('Plain')
        ops.system('UmfPack')
        ops.test('NormUnbalance', 1e-8, 50)
        ops.algorithm('Newton')
        if self.dt:
            ops.integrator('Newmark', 0.5, 0.25)
            ops.analysis('Transient')
        else:
            ops.integrator('LoadControl', 0.0)
            ops.analysis('Static')

    def trial(self, displacements):
        if self.moved and self.trials:
            ops.wipeAnalysis()
            ops.restore(STATE)
            self.set_analysis()
        if self.has_pattern:
            ops.remove('loadPattern', PATTERN)
        ops.pattern('Plain', PATTERN, SERIES)
        self.has_pattern = True
        for (node, direction), value in zip(self.controlled, displacements):
            ops.sp(node, direction, value)
        failed = ops.analyze(1, self.dt) if self.dt else ops.analyze(1)
        self.moved = True
        if failed:  # Yoke stops where a force is not a number
            self.force = [float('nan')] * len(self.controlled)
            return
        ops.reactions('-dynamic') if self.dt else ops.reactions()
        self.force = [ops.nodeReaction(node, direction) for node, direction in self.controlled]

    def commit(self):
        if self.trials:
            ops.save(STATE)
        self.moved = False

    def initial_stiffness(self):
        """Column by column, from small displacements of the model as it was built."""
        if self.stiffness is None:
            n, small = len(self.controlled), 1e-7
            self.stiffness = []
            for j in range(n):
                self.reset()
                self.trial([small if i == j else 0.0 for i in range(n)])
                self.stiffness += [f / small for f in self.force]
            self.reset()
        return self.stiffness

    def close(self):
        if not self.given:
            shutil.rmtree(self.folder, ignore_errors=True)


def session(connection, model):
    """Until the client ends; True: it said DIE."""
    sizes = struct.unpack('<11i', receive(connection, 44))
    n, data = len(model.controlled), sizes[10]
    if sizes[:5] != (n, n, n, 0, 1) or sizes[5:10] != (0, 0, 0, n, 0):
        raise ValueError('the client has %r; this model has %d degrees of freedom' % (sizes, n))

    def answer(values):
        connection.sendall(struct.pack('<%dd' % data, *(list(values) + [0.0] * (data - len(values)))))

    while True:
        vector = struct.unpack('<%dd' % data, receive(connection, 8 * data))
        action = int(vector[0])
        if action == TRIAL:
            model.trial(vector[1:1 + n])
        elif action == COMMIT:
            model.commit()
        elif action == FORCE:
            answer(model.force)
        elif action in (INITIAL, TANGENT):
            answer(model.initial_stiffness())
        elif action in (DAMP, MASS):
            answer([])
        elif action == DIE:
            return True


def serve(build, controlled, port=None, dt=None, trials=True):
    """Serves one client after another, each with a new model, until one says DIE. With `dt` the model has masses and
    is integrated here, one step of that length for each committed trial."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(('127.0.0.1', int(sys.argv[-1]) if port is None else port))
    listener.listen(1)
    model = Model(build, controlled, dt, trials)
    ended = False
    listener.settimeout(0.5)
    owner = os.environ.get('YOKE_PID')
    while not ended and (not owner or os.path.exists('/proc/' + owner)):
        try:
            connection, _ = listener.accept()
        except socket.timeout:
            continue
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            ended = session(connection, model)
        except (Closed, ConnectionError):
            model.reset()
        connection.close()
    model.close()

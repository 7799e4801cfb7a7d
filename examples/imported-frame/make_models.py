"""Stands for two finite-element programs: writes a portal frame as Abaqus writes matrices (mm, N, t; supports still free),
and a mast as tools/opensees writes models (m, N, kg). Plane beams with consistent mass; needs numpy."""

import numpy as np

E, RHO = 210e9, 7850.0


def beam(p, q, area, inertia, extra=0.0):
    """Stiffness and mass of a plane beam from p to q, in x, y, rz of both ends; extra: mass per length that rides on it."""
    d = np.subtract(q, p)
    l = np.hypot(*d)
    c, s = d / l
    m = RHO * area + extra
    a, b = E * area / l, E * inertia / l**3
    k = np.array([[a, 0, 0, -a, 0, 0],
                  [0, 12 * b, 6 * b * l, 0, -12 * b, 6 * b * l],
                  [0, 6 * b * l, 4 * b * l**2, 0, -6 * b * l, 2 * b * l**2],
                  [-a, 0, 0, a, 0, 0],
                  [0, -12 * b, -6 * b * l, 0, 12 * b, -6 * b * l],
                  [0, 6 * b * l, 2 * b * l**2, 0, -6 * b * l, 4 * b * l**2]])
    g = m * l / 420 * np.array([[140, 0, 0, 70, 0, 0],
                                [0, 156, 22 * l, 0, 54, -13 * l],
                                [0, 22 * l, 4 * l**2, 0, 13 * l, -3 * l**2],
                                [70, 0, 0, 140, 0, 0],
                                [0, 54, 13 * l, 0, 156, -22 * l],
                                [0, -13 * l, -3 * l**2, 0, -22 * l, 4 * l**2]])
    t = np.kron(np.eye(2), [[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return t.T @ k @ t, t.T @ g @ t


def assemble(nodes, members):
    """nodes: tag -> (x, y); members: (tag, tag, area, inertia, extra). Matrices in the order of the tags, x, y, rz each."""
    at = {tag: 3 * i for i, tag in enumerate(sorted(nodes))}
    k, m = np.zeros((2, 3 * len(nodes), 3 * len(nodes)))
    for i, j, area, inertia, extra in members:
        ke, me = beam(nodes[i], nodes[j], area, inertia, extra)
        dofs = np.r_[at[i]:at[i] + 3, at[j]:at[j] + 3]
        k[np.ix_(dofs, dofs)] += ke
        m[np.ix_(dofs, dofs)] += me
    return k, m


def write_abaqus(path, matrix, tags):
    """Rows "node,dof, node,dof, value" of the lower triangle; plane frames have the degrees of freedom 1, 2 and 6."""
    with open(path, "w") as out:
        for j in range(len(matrix)):
            for i in range(j, len(matrix)):
                if matrix[i, j] != 0:
                    out.write(f"{tags[i // 3]},{(1, 2, 6)[i % 3]}, {tags[j // 3]},{(1, 2, 6)[j % 3]}, "
                              f"{matrix[i, j]: .15e}\n")


def frame():
    nodes = {1: (0, 0), 11: (0, 1.5), 21: (0, 3), 22: (1.25, 3), 23: (2.5, 3), 24: (3.75, 3), 25: (5, 3), 15: (5, 1.5),
             5: (5, 0)}
    column, girder = (5.43e-3, 2.492e-5, 0), (6.26e-3, 8.356e-5, 400)
    members = [(1, 11, *column), (11, 21, *column), (5, 15, *column), (15, 25, *column)]
    members += [(i, i + 1, *girder) for i in range(21, 25)]
    k, m = assemble(nodes, members)
    tags = sorted(nodes)
    mm = np.array([1e-3, 1e-3, 1] * len(tags))  # a displacement of 1 mm or 1 rad; work in N mm
    write_abaqus("frame_STIF1.mtx", k * np.outer(mm, mm) * 1e3, tags)
    write_abaqus("frame_MASS1.mtx", m * np.outer(mm, mm) * 1e3, tags)
    with open("frame_nodes.csv", "w") as out:
        out.write("node, x, y, z\n")
        out.writelines(f"{tag}, {1000 * nodes[tag][0]:g}, {1000 * nodes[tag][1]:g}, 0\n" for tag in tags)


def mast():
    nodes = {i: (2.5, 3 + i - 1) for i in range(1, 6)}
    k, m = assemble(nodes, [(i, i + 1, 1.92e-3, 2.31e-6, 0) for i in range(1, 5)])
    m[-3, -3] += 60  # an antenna
    m[-2, -2] += 60
    with open("mast.opensees", "w") as out:
        out.write("yoke-opensees 1\n")
        out.writelines(f"node {tag} {x:g} {y:g}\n" for tag, (x, y) in nodes.items())
        out.writelines(f"dof {3 * i + d + 1} {tag} {('x', 'y', 'rz')[d]}\n" for i, tag in enumerate(nodes)
                       for d in range(3))
        for name, matrix in (("stiffness", k), ("mass", m)):
            out.write(f"matrix {name} {len(matrix)}\n")
            out.writelines(f"{i + 1} {j + 1} {matrix[i, j]:.17g}\n" for i, j in np.argwhere(matrix))
        out.write("end\n")


frame()
mast()

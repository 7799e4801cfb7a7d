# Makes solid walls of a closed skin of quadrilaterals whose faces lie across the axes: reads the mesh that gmsh wrote in
# the format of Abaqus, writes nodes and quadratic hexahedra for CalculiX. Every node gets a partner inside, moved by `wall`
# against the outward normal of each face it lies on; nodes halfway along the edges follow. Nodes of the skin keep their
# numbers.
# usage: awk -v wall=0.003 -f thicken.awk skin.inp > mesh.inp
/^\*/ { in_nodes = /^\*NODE/; in_quads = /^\*ELEMENT/ && /type=(CPS4|S4)/; next }
in_nodes { split($0, f, ","); id = f[1] + 0; x[id, 1] = f[2] + 0; x[id, 2] = f[3] + 0; x[id, 3] = f[4] + 0; next }
in_quads { n++; split($0, f, ","); for (k = 1; k <= 4; k++) q[n, k] = f[k + 1] + 0 }

function edge(a, b) { return a < b ? a " " b : b " " a }

# The normal of a face: an axis, 1 to 3, with its sign.
function normal(e, i, u, v, c, best, axis) {
    for (i = 1; i <= 3; i++) { u[i] = x[q[e, 3], i] - x[q[e, 1], i]; v[i] = x[q[e, 4], i] - x[q[e, 2], i] }
    c[1] = u[2] * v[3] - u[3] * v[2]; c[2] = u[3] * v[1] - u[1] * v[3]; c[3] = u[1] * v[2] - u[2] * v[1]
    best = 0
    for (i = 1; i <= 3; i++) if ((c[i] < 0 ? -c[i] : c[i]) > best) { best = c[i] < 0 ? -c[i] : c[i]; axis = c[i] < 0 ? -i : i }
    area = best / 2
    return axis
}

function put(id) { printf "%d, %.9g, %.9g, %.9g\n", id, x[id, 1], x[id, 2], x[id, 3] }

# The node halfway between two others, made when it is first asked for.
function middle(a, b, name, i) {
    name = edge(a, b)
    if (!(name in between)) {
        between[name] = ++count
        for (i = 1; i <= 3; i++) x[count, i] = (x[a, i] + x[b, i]) / 2
        put(count)
    }
    return between[name]
}

function reverse(e, t) { t = q[e, 2]; q[e, 2] = q[e, 4]; q[e, 4] = t }

END {
    # neighbours across edges
    for (e = 1; e <= n; e++)
        for (k = 1; k <= 4; k++) {
            name = edge(q[e, k], q[e, k % 4 + 1])
            if (name in first) second[name] = e; else first[name] = e
        }
    # one orientation for all: a shared edge runs in opposite directions
    queue[1] = 1; done[1] = 1; last = 1
    for (at = 1; at <= last; at++) {
        e = queue[at]
        for (k = 1; k <= 4; k++) {
            a = q[e, k]; b = q[e, k % 4 + 1]; name = edge(a, b)
            o = first[name] == e ? second[name] : first[name]
            if (!o) { print "thicken.awk: the skin is open at edge " name > "/dev/stderr"; exit 1 }
            if (o in done) continue
            for (j = 1; j <= 4; j++) if (q[o, j] == a && q[o, j % 4 + 1] == b) { reverse(o); break }
            done[o] = 1; queue[++last] = o
        }
    }
    # outwards: the enclosed volume is positive
    for (e = 1; e <= n; e++) {
        axis = normal(e); i = axis < 0 ? -axis : axis
        volume += (axis < 0 ? -1 : 1) * area * x[q[e, 1], i] / 3
    }
    print "*NODE, NSET=ALL"
    for (e = 1; e <= n; e++) {
        axis = normal(e); if (volume < 0) axis = -axis
        i = axis < 0 ? -axis : axis
        for (k = 1; k <= 4; k++) { top = q[e, k] > top ? q[e, k] : top; used[q[e, k]] = 1; inward[q[e, k], i] = axis < 0 ? wall : -wall }
    }
    for (id in used) { inner[id] = id + top; for (i = 1; i <= 3; i++) x[id + top, i] = x[id, i] + inward[id, i] }
    count = 2 * top
    for (id in used) { put(id); put(inner[id]) }
    for (e = 1; e <= n; e++) {
        if (volume < 0) reverse(e)
        line = e
        for (k = 1; k <= 4; k++) line = line ", " inner[q[e, k]]
        for (k = 1; k <= 4; k++) line = line ", " q[e, k]
        for (k = 1; k <= 4; k++) line = line ", " middle(inner[q[e, k]], inner[q[e, k % 4 + 1]])
        line = line ",\n"
        for (k = 1; k <= 4; k++) line = line middle(q[e, k], q[e, k % 4 + 1]) ", "
        for (k = 1; k <= 4; k++) line = line middle(inner[q[e, k]], q[e, k]) (k < 4 ? ", " : "")
        element[e] = line
    }
    print "*ELEMENT, TYPE=C3D20, ELSET=FRAME"
    for (e = 1; e <= n; e++) print element[e]
}

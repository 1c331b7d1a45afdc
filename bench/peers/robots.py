"""Robots of `example-robot-data` in Galilei and in Pinocchio: accelerations, kinetic energy, momenta, inverse dynamics.

    robots.py GALILEI BENCH [STATES] [PART...]
        GALILEI, BENCH: the commands `galilei` and `galilei-bench`; STATES: states for each robot, 3 unless told
        PART: only files whose path contains one of these

Each robot is imported, without friction, and evaluated at random states: `galilei eval` at the first one, compiled accelerations at all.
Joints that follow others are constraints in Galilei, joints that carry no mass are fixed; Pinocchio's equations are projected accordingly.
Moving bases have quaternions.
Torques of prescribed accelerations are the multipliers of servo constraints in Galilei and `rnea` in Pinocchio.
Every error is relative to the largest entry of its vector. The last line of the output counts robots; the exit code is 1 where an error is above
1e-10.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import numpy
import pinocchio

FLOATING = """a1 alex alexander anymal_b_simple anymal_c_simple b1 bolt borinot cassie centauro g1 go1 go2 hector hextilt human
    hyq icub iris laikago quadruped romeo simple_humanoid solo talos_data""".split()
LIMIT = 1e-10
# Servo constraints double the unknowns; beyond this number of joints they are left out.
MOST_SERVOS = 32


def name(text):
    """The name of a coordinate."""
    changed = re.sub(r"\W", "_", text)
    return changed if re.match(r"[^\W\d]|_", changed) else "_" + changed


def far(found, expected):
    found, expected = numpy.array(found, float), numpy.array(expected, float)
    if found.size == 0:
        return 0.0
    scale = max(numpy.abs(expected).max(), 1e-3)
    return float(numpy.abs(found - expected).max() / scale)


class Robot:
    def __init__(self, file):
        self.text = open(file, encoding="utf-8", errors="replace").read()
        root = ET.fromstring(self.text)
        self.followed = {}
        for joint in root.findall("joint"):
            mimic = joint.find("mimic")
            if mimic is not None and joint.get("type") != "fixed":
                self.followed[joint.get("name")] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
        folder = os.path.relpath(file, ROBOTS).split(os.sep)[0]
        self.floats = any(folder in (k, k + "_description") for k in FLOATING)
        arguments = (self.text, pinocchio.JointModelFreeFlyer()) if self.floats else (self.text,)
        self.model = pinocchio.buildModelFromXML(*arguments)
        self.data = self.model.createData()
        first = 2 if self.floats else 1
        self.joints = list(range(first, self.model.njoints))
        self.names = [self.model.names[k] for k in self.joints]
        if any(self.model.joints[k].nv != 1 for k in self.joints):
            raise ValueError("a joint with several degrees of freedom")
        self.followed = {j: f for j, f in self.followed.items() if f[0] in self.names}

    def keep(self, coordinates):
        """Leaves out joints that Galilei fixes; True if there are any. They are at zero."""
        kept = [(k, j) for k, j in zip(self.joints, self.names) if name(j) in coordinates]
        self.idle = len(kept) < len(self.joints)
        self.joints, self.names = [k for k, _ in kept], [j for _, j in kept]
        self.followed = {j: f for j, f in self.followed.items() if j in self.names and f[0] in self.names}

    def follower(self, joint):
        """The joint at the beginning of a chain, with factor and offset."""
        factor, offset = 1.0, 0.0
        while joint in self.followed:
            leader, f, o = self.followed[joint]
            factor, offset, joint = factor * f, factor * o + offset, leader
        return joint, factor, offset

    def random(self, rng):
        """Configuration and velocity for Pinocchio, (positions, velocities) by name for Galilei."""
        leaders = {j: (rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)) for j in self.names}
        q, v, a = pinocchio.neutral(self.model), numpy.zeros(self.model.nv), numpy.zeros(self.model.nv)
        values, rates, accelerations = {}, {}, {}
        for k, joint in zip(self.joints, self.names):
            leader, factor, offset = self.follower(joint)
            x, u, w = leaders[leader]
            x, u, w = factor * x + offset, factor * u, factor * w
            model = self.model.joints[k]
            q[model.idx_q : model.idx_q + model.nq] = [numpy.cos(x), numpy.sin(x)] if model.nq == 2 else [x]
            v[model.idx_v], a[model.idx_v] = u, w
            values[name(joint)], rates[name(joint)], accelerations[name(joint)] = x, u, w
        if self.floats:
            place, turn = rng.uniform(-1, 1, 3), rng.normal(size=4)
            turn /= numpy.linalg.norm(turn)
            q[:3], q[3:7] = place, turn[[1, 2, 3, 0]]
            v[:6] = rng.uniform(-1, 1, 6)
            R = pinocchio.Quaternion(q[6], q[3], q[4], q[5]).matrix()
            keys = [f"floating_base_{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
            values |= dict(zip(keys, [*place, *turn]))
            rates |= dict(zip(keys, [*(R @ v[:3]), *(half(turn) @ v[3:6])]))
        return q, v, a, values, rates, accelerations

    def reference(self, q, v):
        """Accelerations by `aba` of Pinocchio, or by its equations projected onto the joints that lead."""
        model, data = self.model, self.data
        if not self.followed and not self.idle:
            return pinocchio.aba(model, data, q, v, numpy.zeros(model.nv)).copy()
        leaders = [j for j in self.names if j not in self.followed]
        base = 6 if self.floats else 0
        G = numpy.zeros((model.nv, base + len(leaders)))
        G[:base, :base] = numpy.eye(base)
        for k, joint in zip(self.joints, self.names):
            leader, factor, _ = self.follower(joint)
            G[model.joints[k].idx_v, base + leaders.index(leader)] = factor
        M = pinocchio.crba(model, data, q)
        M = numpy.triu(M) + numpy.triu(M, 1).T
        h = pinocchio.nonLinearEffects(model, data, q, v)
        return G @ numpy.linalg.solve(G.T @ M @ G, -G.T @ h)

    def expected(self, q, v, a):
        """Accelerations of Galilei's coordinates by name."""
        found = {name(j): a[self.model.joints[k].idx_v] for k, j in zip(self.joints, self.names)}
        if self.floats:
            R = pinocchio.Quaternion(q[6], q[3], q[4], q[5]).matrix()
            turn = q[[6, 3, 4, 5]]
            w = v[3:6]
            line = R @ (a[:3] + numpy.cross(w, v[:3]))
            # d/dt ½q·(0, w) = ½q·(0, ẇ) + ¼q·(0, w)².
            spin = half(turn) @ a[3:6] - turn * (w @ w) / 4
            keys = [f"floating_base_{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
            found |= dict(zip(keys, [*line, *spin]))
        return found


def half(turn):
    """½q·(0, w) as a matrix times w."""
    w, x, y, z = turn
    return numpy.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2


def run(*arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=280, **options)


def at(values, rates):
    return ", ".join(f"{k} = {float(values[k])!r}, {k}' = {float(rates[k])!r}" for k in values)


def momenta(robot, q, v, found):
    """Conjugate momenta of joints, and the momentum of a moving base about its mass centre."""
    model, data = robot.model, robot.data
    M = pinocchio.crba(model, data, q)
    M = numpy.triu(M) + numpy.triu(M, 1).T
    p = M @ v
    names = [name(j) for j in robot.names]
    worst = far([found[k] for k in names], [p[model.joints[k].idx_v] for k in robot.joints])
    if robot.floats:
        h = pinocchio.computeCentroidalMomentum(model, data, q, v)
        turn = q[[6, 3, 4, 5]]
        line = numpy.array([found[f"floating_base_{k}"] for k in "xyz"])
        spin = numpy.array([found[f"floating_base_q{k}"] for k in "wxyz"])
        R = pinocchio.Quaternion(q[6], q[3], q[4], q[5]).matrix()
        about = R @ (half(turn).T @ spin) - numpy.cross(data.com[0] - q[:3], line)
        worst = max(worst, far([*line, *about], [*h.linear, *h.angular]))
    return worst


def check(robot, file, states, galilei, bench):
    rng = numpy.random.default_rng(len(robot.text))
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "robot.gal")
        floating = ["--floating"] if robot.floats else []
        made = run(galilei, "import", file, "--no-friction", *floating, "-o", path, "--quiet")
        if made.returncode:
            return {"refused": made.stderr.strip()[:200]}
        robot.keep(re.findall(r"^coord (\S+)", open(path, encoding="utf-8").read(), re.M))
        points = [robot.random(rng) for _ in range(states)]
        q, v, _, values, rates, _ = points[0]
        answer = run(galilei, "eval", path, "--at", at(values, rates), "--json")
        e = json.loads(answer.stdout or "{}")
        if answer.returncode:
            return {"refused": answer.stdout.strip()[:400]}
        order = e["coordinates"]
        a = robot.expected(q, v, robot.reference(q, v))
        errors["eval"] = far(e["acceleration"], [a[k] for k in order])
        kinetic = pinocchio.computeKineticEnergy(robot.model, robot.data, q, v)
        errors["energy"] = far([e["kinetic_energy"]], [kinetic])
        errors["momenta"] = momenta(robot, q, v, dict(zip(order, e["momentum"])))
        lines, expected = [], []
        for q, v, _, values, rates, _ in points:
            lines.append(" ".join(repr(float(x)) for x in [0.0, *(values[k] for k in order), *(rates[k] for k in order)]))
            a = robot.expected(q, v, robot.reference(q, v))
            expected.append([a[k] for k in order])
        answer = run(bench, "accelerations", "--model", path, input="\n".join(lines) + "\n")
        if answer.returncode:
            return {"refused": answer.stderr.strip()[:200]}
        found = [json.loads(line) for line in answer.stdout.splitlines()]
        errors["code"] = max(far(x["acceleration"], y) for x, y in zip(found, expected))
        count = len(robot.names)
        if not robot.floats and not robot.followed and 0 < count <= MOST_SERVOS:
            q, v, w, values, rates, accelerations = points[0]
            units = dict(re.findall(r"^coord (\S+) \[(\w+)\]", open(path).read(), re.M))
            with open(path, "a") as model:
                for k in order:
                    unit = "*m" if units.get(k) == "m" else ""
                    model.write(f"constraint servo_{k}: {k} = ({values[k]!r} + ({rates[k]!r})*t/s + ({accelerations[k]!r})*(t/s)^2/2){unit}\n")
                    model.write(f"initial {k} = {values[k]!r}, {k}' = {rates[k]!r}\n")
            answer = run(galilei, "eval", path, "--at", at(values, rates), "--json")
            if answer.returncode:
                return errors | {"refused": answer.stdout.strip()[:400]}
            torques = pinocchio.rnea(robot.model, robot.data, q, v, w)
            by_name = {name(j): torques[robot.model.joints[k].idx_v] for k, j in zip(robot.joints, robot.names)}
            found = [m if isinstance(m, (int, float)) else m["multiplier"] for m in json.loads(answer.stdout)["constraints"]["multipliers"]]
            errors["rnea"] = far(found, [by_name[k] for k in order])
    return errors | {"joints": count}


def main(galilei, bench, states, parts):
    good = total = 0
    for file in sorted(glob.glob(ROBOTS + "/**/*.urdf", recursive=True)):
        short = os.path.relpath(file, ROBOTS)
        if parts and not any(p in short for p in parts):
            continue
        try:
            robot = Robot(file)
        except (ValueError, ET.ParseError) as error:
            print("  ", f"{short}: left out, {str(error)[:100]}", flush=True)
            continue
        total += 1
        try:
            found = check(robot, file, states, galilei, bench)
        except (ValueError, KeyError, ET.ParseError, subprocess.TimeoutExpired) as error:
            found = {"refused": f"{type(error).__name__}: {str(error)[:150]}"}
        figures = {k: x for k, x in found.items() if isinstance(x, float)}
        sound = "refused" not in found and all(x <= LIMIT for x in figures.values())
        good += sound
        shown = ", ".join(f"{k} {x:.1e}" for k, x in figures.items())
        rest = found.get("refused", f"{found.get('joints')} joints")
        print("  " if sound else "! ", f"{short}: {shown}; {rest}", flush=True)
    print(f"{good} of {total} robots agree to {LIMIT}")
    return good == total


ROBOTS = os.path.join(os.path.dirname(os.path.dirname(numpy.__file__)), "cmeel.prefix/share/example-robot-data/robots")

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    states = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    sys.exit(0 if main(sys.argv[1], sys.argv[2], states, sys.argv[4:]) else 1)

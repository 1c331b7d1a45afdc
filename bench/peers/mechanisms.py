"""Work `mechanisms`: one evaluation of the accelerations of a spatial arm, alternately with joints about z and about y.

    mechanisms.py PEER SIZES
        PEER: pinocchio, mujoco, drake

Links lie along x; link k has the mass and the length of link k of the chain, its mass centre in the middle, and the moments of inertia
m*l^2*(1/80, 1/8, 1/8) about it. Pinocchio is called from a loop in C++; MuJoCo and Drake from Python, which adds about a
microsecond to each of their evaluations. Many states take turns. Processor time, minimum of repeats. `check` adds the accelerations at the first
states with weights.
"""
import ctypes
import gc
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata

import chain
from accelerations import GOLDEN, HERE, STATES, check, least

MOMENTS = (0.0125, 0.125, 0.125)


def states(n):
    """Rows of q and u: multiples of the golden ratio modulo 1, between -1 and 1."""
    import numpy

    entry = lambda k: 2.0 * math.modf(k * GOLDEN)[0] - 1.0
    return numpy.array([[entry(s * 2 * n + i + 1) for i in range(2 * n)] for s in range(STATES)])


def links(n):
    """Axis, mass and length of each link."""
    return zip(("0 0 1", "0 1 0") * n, chain.masses(n), chain.lengths(n))


def pinocchio(n):
    """`aba` in the convention that is faster here, LOCAL."""
    import numpy

    prefix = os.path.join(os.path.dirname(os.path.dirname(numpy.__file__)), "cmeel.prefix")
    flags = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC", "-w")
    limits = ("-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS")
    places = (f"-I{prefix}/include", f"-I{prefix}/include/eigen3", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib")
    source = os.path.join(HERE, "mechanisms.cpp")
    # The compiler takes a minute: the sizes share the library.
    file = os.path.join(tempfile.gettempdir(), f"galilei-peers-{os.getuid()}-pinocchio-{metadata.version('pin')}.so")
    if not os.path.exists(file) or os.path.getmtime(file) < os.path.getmtime(source):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "mechanisms.so")
            subprocess.run(["g++", *flags, *limits, source, "-o", made, *places, "-lpinocchio_default"], check=True)
            shutil.move(made, file)
    library = ctypes.CDLL(file)
    numbers = ctypes.c_double * n
    library.prepare(n, numbers(*chain.masses(n)), numbers(*chain.lengths(n)), ctypes.c_double(chain.GRAVITY))
    rows, results = states(n), numpy.zeros((STATES, n))
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (rows, results)]
    rounds = max(1, 2000 // n)
    seconds = least(lambda: library.all(*pointers, STATES, rounds))[0]
    return seconds / (rounds * STATES), results


def mujoco(n):
    """`mj_forward` without contacts and constraints."""
    import mujoco
    import numpy

    body, end, last = "", "", 0.0
    for axis, m, l in links(n):
        moments = " ".join(repr(m * l * l * c) for c in MOMENTS)
        body += f'<body pos="{last!r} 0 0"><joint type="hinge" axis="{axis}"/><inertial pos="{l / 2!r} 0 0" mass="{m!r}" diaginertia="{moments}"/>'
        end, last = end + "</body>", l
    flags = '<option gravity="0 0 -9.81"><flag contact="disable" constraint="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{flags}<worldbody>{body}{end}</worldbody></mujoco>")
    data, rows, results = mujoco.MjData(model), states(n), numpy.zeros((STATES, n))

    def work():
        for row, result in zip(rows, results):
            data.qpos[:], data.qvel[:] = row[:n], row[n:]
            mujoco.mj_forward(model, data)
            result[:] = data.qacc

    return least(work)[0] / STATES, results


def drake(n):
    """The time derivatives of a `MultibodyPlant` in continuous time."""
    import numpy
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia, UnitInertia

    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -chain.GRAVITY])
    parent, last = plant.world_body(), 0.0
    for k, (axis, m, l) in enumerate(links(n)):
        unit = UnitInertia(*(l * l * c for c in MOMENTS)).ShiftFromCenterOfMass([-l / 2, 0, 0])
        body = plant.AddRigidBody(f"k{k}", SpatialInertia(m, [l / 2, 0, 0], unit))
        frame = RigidTransform([last, 0, 0])
        plant.AddJoint(RevoluteJoint(f"q{k}", plant.AddFrame(fixed(plant, k, parent, frame)), body.body_frame(), list(map(float, axis.split()))))
        parent, last = body, l
    plant.Finalize()
    context, derivatives = plant.CreateDefaultContext(), plant.AllocateTimeDerivatives()
    rows, results = states(n), numpy.zeros((STATES, n))

    def work():
        for row, result in zip(rows, results):
            plant.SetPositionsAndVelocities(context, row)
            plant.CalcTimeDerivatives(context, derivatives)
            result[:] = derivatives.CopyToVector()[n:]

    return least(work)[0] / STATES, results


def fixed(plant, k, parent, place):
    """A frame fixed to a body."""
    from pydrake.multibody.tree import FixedOffsetFrame

    return FixedOffsetFrame(f"f{k}", parent.body_frame(), place)


PEERS = {"pinocchio": pinocchio, "mujoco": mujoco, "drake": drake}


def main(peer, sizes):
    for n in sizes:
        fields = {"work": "mechanisms", "peer": peer, "n": n, "variant": "arm"}
        try:
            seconds, results = PEERS[peer](n)
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(json.dumps(fields | {"missing": str(error)}), flush=True)
            continue
        print(json.dumps(fields | {"total_s": seconds, "check": check(results)}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    gc.disable()  # a collection inside a timed repeat would be charged to the peer
    main(sys.argv[1], [int(n) for n in sys.argv[2].split(",")])

"""A rod with round ends that falls on a rough floor, by MuJoCo (PyPI: mujoco) in the limit of stiff contact.

The contact is an overdamped spring, so that impacts are inelastic; the limit is that of short time constants. The numbers are those of the
test `touching::a_falling_rod_agrees_with_stiff_contact` of `crates/galilei`.
"""

import math

import mujoco

XML = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -9.81" integrator="implicitfast" cone="elliptic" impratio="1000"
          iterations="200" tolerance="1e-14" solver="Newton"/>
  <worldbody>
    <geom type="plane" size="10 10 1" condim="3" friction="0.3 0 0" solref="{time} 30" solimp="0.999 0.9999 1e-6"/>
    <body pos="0 0 {height}">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.08 0.08 0.08"/>
      <geom type="sphere" pos="0.5 0 0" size="0.05" condim="3" friction="0.3 0 0" solref="{time} 30" solimp="0.999 0.9999 1e-6"/>
      <geom type="sphere" pos="-0.5 0 0" size="0.05" condim="3" friction="0.3 0 0" solref="{time} 30" solimp="0.999 0.9999 1e-6"/>
    </body>
  </worldbody>
</mujoco>"""


def states(step, time, ends):
    """The states (x, z, angle, x', z', angle') at some times, for a step and a time constant of the contact."""
    height = 0.5 * math.sin(0.6) + 0.05 + 0.3
    model = mujoco.MjModel.from_xml_string(XML.format(step=step, time=time, height=height))
    data = mujoco.MjData(model)
    data.qpos[2] = 0.6
    data.qvel[:] = [1.0, 0.0, 0.5]
    count = 0
    for end in ends:
        while count < round(end / step):
            mujoco.mj_step(model, data)
            count += 1
        yield end, data.qpos[0], data.qpos[1] + height, data.qpos[2], *data.qvel


if __name__ == "__main__":
    for step, time in ((4e-5, 4e-4), (1e-5, 1e-4), (2.5e-6, 2.5e-5)):
        print(mujoco.__version__, "step", step, "time constant", time)
        for row in states(step, time, (0.3, 0.5, 0.8)):
            print("  ", *(f"{x:.6f}" for x in row))

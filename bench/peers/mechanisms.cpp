// Accelerations of the arm of `mechanisms.py` by Pinocchio, called without Python in between.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>

#include <memory>
#include <string>

namespace {
std::unique_ptr<pinocchio::Model> model;
std::unique_ptr<pinocchio::Data> data;
}

extern "C" void prepare(int n, const double *masses, const double *lengths, double gravity) {
  using namespace pinocchio;
  model = std::make_unique<Model>();
  model->gravity.linear(Eigen::Vector3d(0, 0, -gravity));
  JointIndex parent = 0;
  SE3 place = SE3::Identity();
  for (int k = 0; k < n; k++) {
    const std::string name = "q" + std::to_string(k);
    parent = k % 2 ? model->addJoint(parent, JointModelRY(), place, name) : model->addJoint(parent, JointModelRZ(), place, name);
    const double m = masses[k], l = lengths[k];
    const Eigen::Vector3d moments = m * l * l * Eigen::Vector3d(0.0125, 0.125, 0.125);
    model->appendBodyToJoint(parent, Inertia(m, Eigen::Vector3d(l / 2, 0, 0), moments.asDiagonal()), SE3::Identity());
    place = SE3(Eigen::Matrix3d::Identity(), Eigen::Vector3d(l, 0, 0));
  }
  data = std::make_unique<Data>(*model);
}

extern "C" void all(const double *states, double *results, int count, int rounds) {
  const int n = model->nv;
  const Eigen::VectorXd torque = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd q(n), v(n);
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < count; i++) {
      q = Eigen::Map<const Eigen::VectorXd>(states + 2 * n * i, n);
      v = Eigen::Map<const Eigen::VectorXd>(states + 2 * n * i + n, n);
      pinocchio::aba(*model, *data, q, v, torque, pinocchio::Convention::LOCAL);
      Eigen::Map<Eigen::VectorXd>(results + n * i, n) = data->ddq;
    }
}

//! Instructions of a step of the default method on each kind of processor, counted by QEMU.
//!
//! Times under emulation mean nothing, instructions do. A run to one end and a run to a later end are counted: their difference,
//! divided by the difference of their steps, leaves reading and compiling out. Both programs are release builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ARM, Emulated};
use crate::foreign::Foreign;
use crate::repository;
use crate::test::succeeds;

/// Models and the two ends of their runs. None has events, which would count with the steps.
const RUNS: [(&str, &str, &str); 4] = [
    ("kapitza-pendulum.gal", "5", "10"),
    ("gyroscope-in-gimbals.gal", "20", "60"),
    ("rolling-disk.gal", "20", "200"),
    ("whipple-bicycle.gal", "5", "20"),
];

/// A plugin of QEMU that counts instructions. The functions are declared here, because Debian's package has no header.
const PLUGIN: &str = r#"
#include <stdint.h>
#include <stdio.h>
struct block;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, struct block *));
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
unsigned long qemu_plugin_tb_n_insns(const struct block *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, int, void *, uint64_t);
static uint64_t count;
static void translated(uint64_t id, struct block *block) {
  qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &count, qemu_plugin_tb_n_insns(block));
}
static void ended(uint64_t id, void *data) {
  fprintf(stderr, "\ninstructions %llu\n", (unsigned long long)count);
}
int qemu_plugin_install(uint64_t id, const void *info, int count_of_arguments, char **arguments) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, 0);
  return 0;
}
"#;

/// A kind of processor, the emulator that runs it and a program for it.
struct Backend {
    name: &'static str,
    runner: Vec<&'static str>,
    program: PathBuf,
}

/// Prints a table of instructions for each model and processor; true if every run was counted.
pub(super) fn run(root: &Path) -> Result<bool, String> {
    let foreign = ARM.prepare(root)?;
    let folder = ARM.folder(root)?;
    let plugin = plugin(&folder)?;
    let native = repository::program(root, true)?;
    let backends = [
        Backend {
            name: "x86-64, AVX2",
            runner: vec!["qemu-x86_64", "-cpu", "max"],
            program: native.clone(),
        },
        Backend {
            name: "64-bit ARM",
            runner: ARM.runner.to_vec(),
            program: release(root, &ARM, &foreign)?,
        },
        Backend {
            name: "x86-64, SSE2",
            runner: vec!["qemu-x86_64", "-cpu", "Nehalem"],
            program: native,
        },
    ];
    print!("| instructions of a step |");
    for backend in &backends {
        print!(" {} |", backend.name);
    }
    println!("\n| --- |{}", " ---: |".repeat(backends.len()));
    for (model, first, second) in RUNS {
        print!("| `{model}` |");
        for backend in &backends {
            let count = |end| counted(root, backend, &plugin, model, end);
            let (first, second) = (count(first)?, count(second)?);
            let steps = second.steps.saturating_sub(first.steps);
            if steps == 0 {
                return Err(format!("{model}: the later end takes no more steps"));
            }
            let instructions = second.instructions.saturating_sub(first.instructions);
            print!(" {} |", instructions / steps);
        }
        println!();
    }
    Ok(true)
}

/// The compiled plugin.
fn plugin(folder: &Path) -> Result<PathBuf, String> {
    let problem = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(problem)?;
    let source = folder.join("count.c");
    fs::write(&source, PLUGIN).map_err(problem)?;
    let library = folder.join("count.so");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O2", "-o"]);
    match succeeds(compile.arg(&library).arg(&source)) {
        true => Ok(library),
        false => Err("the C compiler does not work".to_string()),
    }
}

/// The release build of the program for a machine.
fn release(root: &Path, machine: &Emulated, foreign: &Foreign) -> Result<PathBuf, String> {
    let arguments = ["build", "--quiet", "--release", "--package", "galilei-cli"];
    match succeeds(&mut machine.cargo(root, foreign, &arguments)?) {
        true => Ok(foreign.folder(root)?.join("galilei")),
        false => Err(format!("the program does not build for {}", machine.name)),
    }
}

/// Instructions and steps of a run.
struct Count {
    instructions: u64,
    steps: u64,
}

fn counted(
    root: &Path,
    backend: &Backend,
    plugin: &Path,
    model: &str,
    end: &str,
) -> Result<Count, String> {
    let mut command = Command::new(backend.runner[0]);
    command
        .current_dir(root.join("models"))
        .args(&backend.runner[1..])
        .arg("-plugin")
        .arg(plugin)
        .arg(&backend.program)
        .args(["simulate", model, "--to", end, "--json"]);
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let number = |text: &[u8], before: &str| {
        let text = String::from_utf8_lossy(text).into_owned();
        let rest = &text[text.find(before)? + before.len()..];
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let count = number(&output.stderr, "\ninstructions ")
        .zip(number(&output.stdout, "\"steps\": "))
        .filter(|_| output.status.success());
    let (instructions, steps) = count.ok_or_else(|| {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("{model} on {}: {errors}", backend.name)
    })?;
    Ok(Count {
        instructions,
        steps,
    })
}

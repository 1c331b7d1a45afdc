//! Constants in memory, in the order of their first use: rows of four, masks, numbers.

use galilei_tape::code::{Code, Instr};

use super::allocate::State;
use super::fused::{Kind, routine};
use crate::homes::Home;
use crate::mode::Encoding;

/// The constants, and the positions of the masks among them (in numbers).
#[derive(Debug, Default)]
pub(super) struct Constants {
    pub(super) data: Vec<f64>,
    /// The bit of the sign.
    pub(super) sign: u32,
    /// All bits except the sign.
    pub(super) magnitude: u32,
    pub(super) zero: u32,
    /// The addresses of routines for fused products, where the processor has no instruction.
    pub(super) routines: Option<u32>,
}

impl Constants {
    /// Collects the constants of the code and assigns homes to them and the inputs.
    pub(super) fn of(code: &Code, encoding: Encoding, lanes: usize, values: &mut [State]) -> Self {
        let mut this = Self::default();
        let instrs = code.instrs();
        let (mut sign, mut magnitude, mut zero, mut fused) = (false, false, false, false);
        for (k, i) in instrs.iter().enumerate() {
            match *i {
                Instr::Table(row) => {
                    values[k].home = Home::new(Home::CONSTANT, this.data.len() as u32);
                    this.data.extend(code.tables()[row as usize]);
                }
                Instr::Input(j) => values[k].home = Home::new(Home::INPUT, j * lanes as u32),
                Instr::Row(j) => values[k].home = Home::new(Home::INPUT, j),
                Instr::Neg(_) => sign = true,
                Instr::Abs(_) => magnitude = true,
                Instr::Positive(..) | Instr::NotNegative(..) => zero = true,
                Instr::Fma(..) | Instr::Fnma(..) | Instr::Fms(..) => fused = true,
                _ => {}
            }
        }
        // EVEX reads one number for all lanes; VEX needs as many as the register has.
        let (mask, number) = match encoding {
            Encoding::Evex => (1, 1),
            _ => (4, lanes),
        };
        let mut put = |wanted: bool, c: f64| {
            let at = this.data.len() as u32;
            if wanted {
                this.data.extend(std::iter::repeat_n(c, mask));
            }
            at
        };
        this.sign = put(sign, -0.0);
        this.magnitude = put(magnitude, f64::from_bits(!(1 << 63)));
        this.zero = put(zero, 0.0);
        if fused && encoding == Encoding::Sse {
            this.routines = Some(this.data.len() as u32);
            for kind in Kind::ALL {
                let addresses = [true, false].map(|single| routine(kind, single) as u64);
                this.data.extend(addresses.map(f64::from_bits));
            }
        }
        for (k, i) in instrs.iter().enumerate() {
            if let Instr::Const(c) = *i {
                values[k].home = Home::new(Home::CONSTANT, this.data.len() as u32);
                this.data.extend(std::iter::repeat_n(c, number));
            }
        }
        this
    }
}

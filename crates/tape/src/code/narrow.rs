//! Code for several lanes from code with wide values.

use std::collections::HashMap;

use super::{Code, Instr, Value, WIDTH};

/// Code that is written instruction by instruction; constants and inputs once.
#[derive(Default)]
struct Writer {
    code: Code,
    leaves: HashMap<(bool, u64), Value>,
}

impl Writer {
    fn push(&mut self, i: Instr) -> Value {
        let leaf = match i {
            Instr::Const(c) => Some((false, c.to_bits())),
            Instr::Input(k) => Some((true, u64::from(k))),
            _ => None,
        };
        if let Some(&known) = leaf.and_then(|leaf| self.leaves.get(&leaf)) {
            return known;
        }
        let value = self.code.instrs.len() as Value;
        self.code.instrs.push(i);
        self.code.wide.push(false);
        if let Some(leaf) = leaf {
            self.leaves.insert(leaf, value);
        }
        value
    }
}

impl Code {
    /// The code with four narrow values in place of each wide one. It computes the same bits, at any number of lanes.
    ///
    /// ```
    /// use galilei_tape::code::Assembler;
    /// let mut asm = Assembler::new(4);
    /// let row = asm.row(0);
    /// let squares = asm.mul(row, row);
    /// let last = asm.lane(squares, 3);
    /// let code = asm.finish(vec![squares, last]);
    /// assert!(code.has_wide() && !code.narrowed().has_wide());
    /// let inputs = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]];
    /// let found = code.narrowed().run(&inputs, &mut vec![]);
    /// assert_eq!(found, [[1.0, 25.0], [4.0, 36.0], [9.0, 49.0], [16.0, 64.0], [16.0, 64.0]]);
    /// ```
    #[must_use]
    pub fn narrowed(&self) -> Self {
        if !self.has_wide() {
            return self.clone();
        }
        let mut writer = Writer::default();
        // The numbers of each value; a narrow one has the same four times.
        let mut parts: Vec<[Value; WIDTH]> = Vec::with_capacity(self.instrs.len());
        for (k, i) in self.instrs.iter().enumerate() {
            let made = match *i {
                Instr::Row(first) => {
                    std::array::from_fn(|l| writer.push(Instr::Input(first + l as u32)))
                }
                Instr::Table(row) => {
                    (self.tables[row as usize]).map(|c| writer.push(Instr::Const(c)))
                }
                Instr::Pack(list) => list.map(|v| parts[v as usize][0]),
                Instr::Lane(v, l) => [parts[v as usize][l as usize]; WIDTH],
                Instr::Permute(v, order) => order.map(|l| parts[v as usize][l as usize]),
                _ if self.wide[k] => {
                    std::array::from_fn(|l| writer.push(i.map(|v| parts[v as usize][l])))
                }
                _ => [writer.push(i.map(|v| parts[v as usize][0])); WIDTH],
            };
            parts.push(made);
        }
        let outputs = self.outputs.iter().flat_map(|&o| {
            let count = if self.is_wide(o) { WIDTH } else { 1 };
            parts[o as usize].into_iter().take(count)
        });
        Self {
            outputs: outputs.collect(),
            inputs: self.inputs,
            lookup_tables: self.lookup_tables.clone(),
            ..writer.code
        }
    }
}

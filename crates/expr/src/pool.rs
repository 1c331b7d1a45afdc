//! The pool, which stores expressions.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use hashbrown::HashTable;

use crate::arena::Arena;
use crate::build::{Builder, Entry};
use crate::expr::Expr;
use crate::legendre::LegendreNodes;
use crate::node::{Cell, Ix, Node, Tag, Word};
use crate::number::Rational;
use crate::table::Table;

/// The name of an expression inside its pool: four bytes, what long-lived structures store.
///
/// [`Pool::expr`] turns it back into an expression. Ids carry the salt of
/// their pool, so one of another pool is almost always recognised when it is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExprId(u32);

/// A growing set of expressions, each stored once.
///
/// * Guarantees: equal structure means equal handle; nothing ever moves or disappears before
///   the pool does; reading takes no lock, and threads may build at the same time. What is built
///   and how it prints depend on the mathematics alone, not on the order of creation.
/// * Make one with [`Pool::new`], one per model; expressions by [`Pool::symbol`],
///   [`Pool::number`] and the operators on [`Expr`].
/// * It does not know coordinates, time or mass, and stores no floating-point number.
///
/// ```
/// use galilei_expr::Pool;
/// let pool = Pool::new();
/// let [m, l, theta] = pool.symbols(["m", "l", "theta"]);
/// let inertia = m * l.pow(2) * theta.cos();
/// assert_eq!(inertia, theta.cos() * l * m * l);
/// assert_eq!(inertia.to_string(), "l^2*m*cos(theta)");
/// ```
pub struct Pool {
    nodes: Arena<Cell>,
    words: Arena<AtomicU64>,
    numbers: Arena<OnceLock<Rational>>,
    names: Arena<OnceLock<Box<str>>>,
    /// The data of functions that are given by tables, by the nodes of their names.
    tables: RwLock<Vec<(Ix, Arc<Table>)>>,
    salt: u32,
    writer: Mutex<Writer>,
    /// The Legendre transform without a closed form, if there is one.
    pub(crate) legendre: OnceLock<LegendreNodes>,
}

/// The parts of a pool that only the appending thread may access.
pub(crate) struct Writer {
    pub(crate) table: HashTable<u32>,
    pub(crate) nodes: u32,
    words: u32,
    numbers: u32,
    names: u32,
    symbols: u32,
    /// Lists that a constructor fills and gives back, to spare allocations.
    pub(crate) spare: Vec<Vec<Entry>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool of {} nodes", self.len())
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        let pool = Self {
            nodes: Arena::new(),
            words: Arena::new(),
            numbers: Arena::new(),
            names: Arena::new(),
            tables: RwLock::new(Vec::new()),
            // A random number that differs from pool to pool, without global state.
            salt: RandomState::new().build_hasher().finish() as u32,
            writer: Mutex::new(Writer {
                table: HashTable::new(),
                nodes: 0,
                words: 0,
                numbers: 0,
                names: 0,
                symbols: 0,
                spare: Vec::new(),
            }),
            legendre: OnceLock::new(),
        };
        pool.builder().seed();
        pool
    }

    /// The number of different nodes in the pool.
    pub fn len(&self) -> usize {
        self.lock().nodes as usize
    }

    /// Whether the pool holds nothing but its built-in constants.
    pub fn is_empty(&self) -> bool {
        self.len() <= crate::node::UNDEFINED as usize + 1
    }

    /// Bytes in use by nodes, operands, numbers, names and the index over them.
    pub fn bytes(&self) -> usize {
        let w = self.lock();
        w.nodes as usize * size_of::<Cell>()
            + w.words as usize * 8
            + w.numbers as usize * size_of::<OnceLock<Rational>>()
            + w.names as usize * size_of::<OnceLock<Box<str>>>()
            + w.table.allocation_size()
    }

    /// The expression behind an id.
    ///
    /// # Panics
    /// If the id is not one of this pool's.
    pub fn expr(&self, id: ExprId) -> Expr<'_> {
        let ix = id.0.wrapping_sub(self.salt);
        assert!(
            self.nodes.get(ix).and_then(Cell::read).is_some(),
            "an ExprId of another pool was used"
        );
        Expr::new(self, ix)
    }

    pub(crate) fn id(&self, ix: Ix) -> ExprId {
        ExprId(ix.wrapping_add(self.salt))
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        // A panic while building leaves the tables consistent: nodes are written before they
        // are entered, so an unfinished one is merely unreachable.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn builder(&self) -> Builder<'_> {
        Builder::new(self, self.lock())
    }

    pub(crate) fn node(&self, ix: Ix) -> Node {
        self.nodes
            .get(ix)
            .and_then(Cell::read)
            .expect("a node of this pool")
    }

    /// Operand words of a node.
    pub(crate) fn words(
        &self,
        node: &Node,
    ) -> impl DoubleEndedIterator<Item = Word> + ExactSizeIterator {
        self.words
            .slice(node.start, node.operands())
            .iter()
            .map(|w| Word::unpack(w.load(Relaxed)))
    }

    pub(crate) fn word(&self, node: &Node, k: usize) -> Word {
        Word::unpack(self.words.slice(node.start, node.operands())[k].load(Relaxed))
    }

    pub(crate) fn name(&self, node: &Node) -> &str {
        self.names
            .get(node.start)
            .and_then(OnceLock::get)
            .map_or("", |s| s)
    }

    /// Gives a function the data of a table; one that has data keeps them.
    pub(crate) fn set_table(&self, name: Ix, table: Table) {
        let mut list = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|(n, _)| *n == name) {
            list.push((name, Arc::new(table)));
        }
    }

    /// The table of a function, if it is given by one.
    pub(crate) fn table_of(&self, name: Ix) -> Option<Arc<Table>> {
        let list = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        let found = list.iter().find(|(n, _)| *n == name);
        found.map(|(_, table)| Arc::clone(table))
    }

    /// The value of a number node.
    pub(crate) fn rational(&self, ix: Ix) -> Rational {
        let node = self.node(ix);
        match node.tag {
            Tag::Small => Rational::from_reduced(node.data as i64, node.start),
            _ => self
                .numbers
                .get(node.start)
                .and_then(OnceLock::get)
                .expect("a number node")
                .clone(),
        }
    }

    /// The value of a node that may be a number.
    pub(crate) fn as_rational(&self, ix: Ix) -> Option<Rational> {
        self.node(ix).is_number().then(|| self.rational(ix))
    }
}

impl Writer {
    /// Appends a node. `words` become its operands.
    pub(crate) fn push(&mut self, pool: &Pool, mut node: Node, words: &[Word]) -> Ix {
        if !words.is_empty() {
            let len = words.len() as u32;
            let start = pool
                .words
                .reserve(self.words, len)
                .expect("the pool is full");
            for (cell, w) in pool.words.slice(start, len).iter().zip(words) {
                cell.store(w.pack(), Relaxed);
            }
            self.words = start + len;
            node.start = start;
        }
        let ix = pool.nodes.reserve(self.nodes, 1).expect("the pool is full");
        pool.nodes.get(ix).expect("reserved").write(&node);
        self.nodes = ix + 1;
        ix
    }

    pub(crate) fn push_number(&mut self, pool: &Pool, value: Rational) -> u32 {
        let place = pool
            .numbers
            .reserve(self.numbers, 1)
            .expect("the pool is full");
        let _ = pool.numbers.get(place).expect("reserved").set(value);
        self.numbers = place + 1;
        place
    }

    /// Stores a name; gives its place and the ordinal of the new symbol.
    pub(crate) fn push_name(&mut self, pool: &Pool, name: &str) -> (u32, u32) {
        let place = pool.names.reserve(self.names, 1).expect("the pool is full");
        let _ = pool.names.get(place).expect("reserved").set(name.into());
        self.names = place + 1;
        self.symbols += 1;
        (place, self.symbols - 1)
    }
}

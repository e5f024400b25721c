//! Lists of elements in one array: blocks of `2^class` numbers, freed blocks chained by size.

const NONE: u32 = u32::MAX;
/// The class of the smallest block.
const SMALLEST: u32 = 2;

/// A list, without its elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// Start of its block; meaningless for an empty list, like its class.
    start: u32,
    len: u32,
    class: u32,
}

impl List {
    pub(super) const EMPTY: Self = Self {
        start: 0,
        len: 0,
        class: 0,
    };

    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }
}

#[derive(Clone, Debug)]
pub(super) struct Lists {
    numbers: Vec<u32>,
    /// The first free block of each size; a free block begins with the index of the next one.
    free: [u32; 32],
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            numbers: Vec::new(),
            free: [NONE; 32],
        }
    }
}

impl Lists {
    #[inline]
    pub(super) fn slice(&self, list: List) -> &[u32] {
        &self.numbers[list.start as usize..][..list.len as usize]
    }

    #[inline]
    pub(super) fn push(&mut self, list: &mut List, element: u32) {
        if list.len == 0 {
            *list = List {
                start: self.take(SMALLEST),
                len: 0,
                class: SMALLEST,
            };
        } else if list.len == 1 << list.class {
            self.change_class(list, list.class + 1);
        }
        self.numbers[(list.start + list.len) as usize] = element;
        list.len += 1;
    }

    /// Removes an element; the last one takes its place. False where the element is absent.
    #[inline]
    pub(super) fn remove(&mut self, list: &mut List, element: u32) -> bool {
        let elements = &mut self.numbers[list.start as usize..][..list.len as usize];
        // Search from the end: an element that crosses a border of cells to and fro was added last.
        let Some(place) = elements.iter().rposition(|&other| other == element) else {
            return false;
        };
        elements[place] = elements[elements.len() - 1];
        list.len -= 1;
        if list.len == 0 {
            self.give(list.start, list.class);
        } else if list.class > SMALLEST && list.len == 1 << (list.class - 2) {
            self.change_class(list, list.class - 1);
        }
        true
    }

    /// Moves a list to a block of another size.
    #[inline(never)]
    fn change_class(&mut self, list: &mut List, class: u32) {
        let start = self.take(class);
        let from = list.start as usize;
        self.numbers
            .copy_within(from..from + list.len as usize, start as usize);
        self.give(list.start, list.class);
        (list.start, list.class) = (start, class);
    }

    /// Returns the start of a free block of `2^class` numbers.
    fn take(&mut self, class: u32) -> u32 {
        let first = self.free[class as usize];
        if first != NONE {
            self.free[class as usize] = self.numbers[first as usize];
            return first;
        }
        let start = self.numbers.len();
        self.numbers.resize(start + (1 << class), 0);
        start as u32
    }

    fn give(&mut self, start: u32, class: u32) {
        self.numbers[start as usize] = self.free[class as usize];
        self.free[class as usize] = start;
    }
}

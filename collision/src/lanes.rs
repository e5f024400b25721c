//! Eight candidates at a time: a masked ray against a ball, with a scalar twin of the same bits.

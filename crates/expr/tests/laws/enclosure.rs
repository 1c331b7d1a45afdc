//! enclosure

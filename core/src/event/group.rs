//! One macro for what all events' fields have in common.

use alloc::vec::Vec;

/// Declares a group of fields: the struct, serde both ways, and [`FieldValue`] over its fields in order.
macro_rules! group {
    ($($(#[$meta:meta])* $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),+ $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name<'a> {
            $($(#[$fmeta])* #[serde(skip_serializing_if = "crate::event::field::FieldValue::absent")] pub $field: $ty,)+
        }

        impl $name<'_> {
            pub(crate) fn write_members(&self, out: &mut alloc::vec::Vec<u8>) {
                $($crate::event::field::write_member(stringify!($field), &self.$field, out);)+
            }
        }

        impl $crate::event::field::FieldValue for $name<'_> {
            type Owned = $name<'static>;
            fn absent(&self) -> bool {
                $(self.$field.absent())&&+
            }
            fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                let at = out.len();
                self.write_members(out);
                $crate::event::group::close_object(at, out);
            }
            fn measure(&self) -> usize {
                0 $(+ self.$field.measure())+
            }
            fn copy(&self, packer: &mut $crate::event::field::Packer) {
                $(self.$field.copy(packer);)+
            }
            fn unpack(self, parts: &mut $crate::event::field::Parts) -> $name<'static> {
                $name { $($field: self.$field.unpack(parts)),+ }
            }
        }
    )+};
}

pub(super) use group;

/// Makes the members written from `at` on, each behind a comma, an object.
pub(super) fn close_object(at: usize, out: &mut Vec<u8>) {
    match out.get_mut(at) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

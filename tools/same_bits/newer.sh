#!/bin/sh
# The compiler it is called with, for crates that are newer than Debian's: what they use was there already, but not stable.
compiler=$1
shift
features=
case " $* " in
*" --crate-name wide "*) features=unbounded_shifts,integer_sign_cast,float_next_up_down ;;
*" --crate-name nalgebra "*) features=unsigned_is_multiple_of,const_vec_string_slice ;;
*" --crate-name collision "*) features=let_chains,trait_upcasting,unsigned_is_multiple_of ;;
esac
if [ -n "$features" ]; then
    set -- "$@" "-Zcrate-attr=feature($features)"
fi
exec "$compiler" "$@"

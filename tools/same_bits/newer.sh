#!/bin/sh
# Calls the given compiler, for crates that need a newer one than Debian's: enables features that
# were not yet stable in it.
compiler=$1
shift
features=
case " $* " in
*" --crate-name wide "*) features=unbounded_shifts,integer_sign_cast,float_next_up_down ;;
*" --crate-name nalgebra "*) features=unsigned_is_multiple_of,const_vec_string_slice ;;
*" --crate-name collision "* | *" --crate-name collision_scenes "*) features=let_chains,trait_upcasting,unsigned_is_multiple_of ;;
esac
if [ -n "$features" ]; then
    set -- "$@" "-Zcrate-attr=feature($features)"
fi
exec "$compiler" "$@"

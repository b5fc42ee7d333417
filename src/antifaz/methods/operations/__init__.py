"""Operations: what is done to the cells of columns, masking them (`mask`) or perturbing them (`perturb`)."""

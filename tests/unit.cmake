# Tests unit_*: serial, on the ground floor alone
foreach(name IN ITEMS deal fixed memory partition placement random search slab source synthetic)
  th_test(NAME unit_${name} LIBS thresher_solvers LABELS unit)
endforeach()

# Tests unit_*: serial, on the ground floor alone
foreach(name IN ITEMS deal elementary fixed kukliansky memory partition placement printable random search slab state synthetic)
  th_test(NAME unit_${name} LIBS thresher_solvers_driver LABELS unit)
endforeach()
th_test(NAME unit_shift SOURCES memory_store.c LIBS thresher_solvers_driver LABELS unit)
foreach(name IN ITEMS source source_active)
  th_test(NAME unit_${name} SOURCES fake_store.c LIBS thresher_solvers_driver LABELS unit)
endforeach()

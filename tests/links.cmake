# Each room with what it stands on, whole: a call of anything else does not link.
get_property(THRESHER_ROOMS GLOBAL PROPERTY THRESHER_ROOMS)
foreach(room IN LISTS THRESHER_ROOMS)
  add_executable(links_${room} nothing.c)
  target_link_libraries(links_${room} PRIVATE thresher_flags
    $<LINK_LIBRARY:WHOLE_ARCHIVE,${room}> m)
endforeach()

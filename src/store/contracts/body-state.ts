/**
 * `kept`: in the archive, of its own or as a reference to the original's; `dropped`: collected, the meta-info stayed;
 * `lost`: its record was damaged, the next fetch brings it back; `none`: there never was one.
 */
export type BodyState = 'kept' | 'dropped' | 'lost' | 'none'

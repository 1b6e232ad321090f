export const strings = {
  /** Of a notification whose message can't be read. */
  title: 'eRACE',
}

export const strings = {
  /** Title of a notification whose message can't be parsed. */
  title: 'eRACE',
}

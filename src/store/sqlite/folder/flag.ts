/** A mark as a parameter of a statement: null leaves it as it is. */
export function flagOf(mark: boolean | undefined): 0 | 1 | null {
  return mark === undefined ? null : mark ? 1 : 0
}

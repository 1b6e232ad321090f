/** Joins the truthy names: `classNames('row', isRead && 'row-read')`. */
export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

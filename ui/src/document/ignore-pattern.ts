/** The server's limit. */
export const MAX_PATTERN = 500

/** The selection in a comparison, as it reads in each of the two versions. */
export type SelectedText = { before: string; after: string }

/**
 * A pattern that matches the selection and what will replace it next time: a number matches any number, white space any white
 * space. When both versions are selected and differ in more than that, either matches.
 */
export function patternOf({ before, after }: SelectedText): string {
  const sides = [patternOfText(after), patternOfText(before)]
  return [...new Set(sides.filter((side) => side !== ''))].join('|')
}

function patternOfText(text: string): string {
  return text
    .trim()
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replace(/\d+/g, '\\d+')
    .replace(/\s+/g, '\\s+')
}

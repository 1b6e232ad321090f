/** As long as the server takes one. */
export const MAX_PATTERN = 500

/** What is selected of a comparison, as each of the two versions has it. */
export type SelectedText = { before: string; after: string }

/**
 * An expression for what is selected and for what will stand there next time: any number for a number, any white space for
 * white space. Where both versions are selected and differ in more than that, either is meant.
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

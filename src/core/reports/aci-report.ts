/** What became of an import of annotations. */
export type AciImportReport = {
  added: number
  /** There already: of the same owner, profile, page and time. */
  known: number
  /** Of those in the file, how many are about a version that this archive doesn't have. */
  notArchived: number
}

/** `unread`: they arrive as unread; else as read, since their reader has had them. */
export type AciImportRequest = { unread: boolean }

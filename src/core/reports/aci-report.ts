/** Result of an import of annotations. */
export type AciImportReport = {
  added: number
  /** Already present: same owner, profile, page and time. */
  known: number
  /** Annotations in the file about a version that is not in this archive. */
  notArchived: number
}

/** `unread`: imports them as unread; otherwise as read, since their reader has already seen them. */
export type AciImportRequest = { unread: boolean }

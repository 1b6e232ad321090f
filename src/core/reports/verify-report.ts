export type VerifyProgress = { records: number; bytes: number; totalBytes: number }

export type VerifyFault = { file: string; offset: number | null; url: string | null; message: string }

export type VerifyReport = {
  files: number
  records: number
  bytes: number
  /** Archive bytes that nothing kept refers to: collected, or lost. */
  unusedBytes: number
  seconds: number
  /** The errors found, with file and offset if known. Bounded; `faultCount` is the total. */
  faults: VerifyFault[]
  faultCount: number
  /** The repair, if requested: the errors found first; `faults` above has the remaining ones. */
  repaired?: VerifyRepair
}

export type VerifyRepair = {
  faults: VerifyFault[]
  faultCount: number
  /** Versions whose bodies were dropped: the next crawl fetches their documents again. */
  lostVersions: number
  /** The first of their URLs. */
  lostUrls: string[]
  /** Missing archive files that were removed from the catalogue. */
  forgottenFiles: number
}

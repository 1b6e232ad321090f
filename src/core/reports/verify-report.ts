export type VerifyProgress = { records: number; bytes: number; totalBytes: number }

export type VerifyFault = { file: string; offset: number | null; url: string | null; message: string }

export type VerifyReport = {
  files: number
  records: number
  bytes: number
  /** Bytes of the archive that belong to nothing that is kept: collected, or lost. */
  unusedBytes: number
  seconds: number
  /** All that is wrong, in words, with the file and offset where there is one. Bounded; `faultCount` is the whole number. */
  faults: VerifyFault[]
  faultCount: number
  /** What was done about the faults that were found at first; `faults` has what is left. Only where it was asked for. */
  repaired?: VerifyRepair
}

export type VerifyRepair = {
  faults: VerifyFault[]
  faultCount: number
  /** Versions whose bodies were given up: the next crawl fetches their documents again. */
  lostVersions: number
  /** The first of their URLs. */
  lostUrls: string[]
  /** Archive files that are not there and that the catalogue forgot. */
  forgottenFiles: number
}

export type VerifyProgress = { records: number; bytes: number; totalBytes: number }

export type VerifyFault = { file: string; offset: number | null; url: string | null; message: string }

export type VerifyReport = {
  files: number
  records: number
  bytes: number
  seconds: number
  /** All that is wrong, in words, with the file and offset where there is one. Bounded; `faultCount` is the whole number. */
  faults: VerifyFault[]
  faultCount: number
}

/** The program's version; a test compares it with that of the package. */
export const version = '0.1.0'

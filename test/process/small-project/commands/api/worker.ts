/** The build needs this script. */
export {};

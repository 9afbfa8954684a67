/** The form of a scope of API keys. */
export const SCOPE = /^[\w:.-]{1,64}$/;
export const SCOPE_RULE = "must be 1 to 64 letters, digits and _ : . -";

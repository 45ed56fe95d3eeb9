/** They forge what a person reads: controls, separators, surrogates, `Bidi_Control`. */
export const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

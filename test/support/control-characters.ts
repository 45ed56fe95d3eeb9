/** What a terminal obeys, line feeds aside, and what turns the order of characters around. */
export const controlCharacters = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/v;

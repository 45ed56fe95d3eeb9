import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.URI;
import java.text.ParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Accepts tokens of Amazon Cognito and of this service with Nimbus, while callers move. When the last
 * one has moved, delete what is about Cognito.
 */
public final class VerifyTokenBothIssuers {
  private static final int CLOCK_TOLERANCE_SECONDS = 10;

  // https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1
  private static final String COGNITO_ISSUER = System.getenv("COGNITO_ISSUER");
  private static final String OWN_ISSUER = System.getenv("ISSUER");

  /** One of these is enough, as for an authorizer of a user pool. */
  private static final Set<String> ANY_OF = Set.of(System.getenv("ANY_OF").split(" "));

  /** Made once: it keeps the keys, and fetches them again when a token has a key that it lacks. */
  private static DefaultJWTProcessor<SecurityContext> createProcessor(
      String jwksUri, JOSEObjectType type, DefaultJWTClaimsVerifier<SecurityContext> claims)
      throws Exception {
    var keys = JWKSourceBuilder.<SecurityContext>create(URI.create(jwksUri).toURL()).build();
    claims.setMaxClockSkew(CLOCK_TOLERANCE_SECONDS);
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(type));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.RS256, keys));
    processor.setJWTClaimsSetVerifier(claims);
    return processor;
  }

  private static DefaultJWTProcessor<SecurityContext> forOwnTokens() throws Exception {
    var expected = new JWTClaimsSet.Builder().issuer(OWN_ISSUER).build();
    var required = Set.of("exp", "client_id", "scope");
    return createProcessor(
        System.getenv("JWKS_URI"),
        new JOSEObjectType("at+jwt"),
        new DefaultJWTClaimsVerifier<>(System.getenv("AUDIENCE"), expected, required));
  }

  private static DefaultJWTProcessor<SecurityContext> forCognitoTokens() throws Exception {
    // No aud: the scopes say for which API they are. An id token of a user has the same issuer and
    // keys, and another token_use.
    var expected =
        new JWTClaimsSet.Builder().issuer(COGNITO_ISSUER).claim("token_use", "access").build();
    return createProcessor(
        COGNITO_ISSUER + "/.well-known/jwks.json",
        null,
        new DefaultJWTClaimsVerifier<>(expected, Set.of("exp", "client_id", "scope")));
  }

  public static void main(String[] args) throws Exception {
    var processors = Map.of(OWN_ISSUER, forOwnTokens(), COGNITO_ISSUER, forCognitoTokens());
    try {
      var token = JWTParser.parse(System.getenv("ACCESS_TOKEN"));
      // Only says whose keys to take: the signature and the issuer are checked below.
      var issuer = String.valueOf(token.getJWTClaimsSet().getIssuer());
      var processor = processors.get(issuer);
      if (processor == null) throw new BadJOSEException("iss is of neither issuer");
      var claims = processor.process(token, null);
      List<String> scopes =
          Arrays.stream(claims.getStringClaim("scope").split(" ")).filter(ANY_OF::contains).toList();
      if (scopes.isEmpty()) throw new BadJOSEException("insufficient scope");
      var client = claims.getStringClaim("client_id");
      System.out.println(
          JSONObjectUtils.toJSONString(Map.of("client_id", client, "scopes", scopes)));
    } catch (KeySourceException error) {
      throw error; // Says nothing about the token: answer 503.
    } catch (BadJOSEException | ParseException error) {
      System.err.println("refused: " + error.getMessage());
      System.exit(1);
    }
  }
}

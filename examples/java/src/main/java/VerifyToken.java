import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.id.Issuer;
import java.util.Set;

/** Verifies an access token with Nimbus. */
public final class VerifyToken {
  private static final int CLOCK_TOLERANCE_SECONDS = 10;

  /** Made once: it keeps the keys, and fetches them again when a token has a key that it lacks. */
  private static DefaultJWTProcessor<SecurityContext> createProcessor() throws Exception {
    var metadata = AuthorizationServerMetadata.resolve(new Issuer(System.getenv("ISSUER")));
    var keys =
        JWKSourceBuilder.<SecurityContext>create(metadata.getJWKSetURI().toURL()).build();
    var claims =
        new DefaultJWTClaimsVerifier<SecurityContext>(
            System.getenv("AUDIENCE"),
            new JWTClaimsSet.Builder().issuer(metadata.getIssuer().getValue()).build(),
            Set.of("exp", "iat", "sub", "client_id", "scope"));
    claims.setMaxClockSkew(CLOCK_TOLERANCE_SECONDS);
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.RS256, keys));
    processor.setJWTClaimsSetVerifier(claims);
    return processor;
  }

  public static void main(String[] args) throws Exception {
    var processor = createProcessor();
    try {
      System.out.println(processor.process(System.getenv("ACCESS_TOKEN"), null));
    } catch (KeySourceException error) {
      throw error; // Says nothing about the token: answer 503.
    } catch (com.nimbusds.jose.proc.BadJOSEException | java.text.ParseException error) {
      System.err.println("refused: " + error.getMessage());
      System.exit(1);
    }
  }
}

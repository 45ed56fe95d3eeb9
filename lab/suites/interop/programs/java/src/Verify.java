import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.Map;
import java.util.Set;

/** Verifies tokens with Nimbus. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}. */
public final class Verify {
  private static DefaultJWTProcessor<SecurityContext> createProcessor(String algorithm)
      throws Exception {
    var address = URI.create(System.getenv("JWKS_URI")).toURL();
    var keys = JWKSourceBuilder.<SecurityContext>create(address).build();
    var issuer = new JWTClaimsSet.Builder().issuer(System.getenv("ISSUER")).build();
    var required = Set.of("exp", "iat", "sub", "client_id");
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(JWSAlgorithm.parse(algorithm), keys));
    processor.setJWTClaimsSetVerifier(
        new DefaultJWTClaimsVerifier<>(System.getenv("AUDIENCE"), issuer, required));
    return processor;
  }

  public static void main(String[] args) throws Exception {
    var processor = createProcessor(args[1]);
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        processor.process((String) JSONObjectUtils.parse(line).get("token"), null);
        answer = Map.of("ok", true);
      } catch (Exception error) {
        var why = error.getClass().getSimpleName() + ": " + error.getMessage();
        answer = Map.of("ok", false, "why", why.substring(0, Math.min(200, why.length())));
      }
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
  }
}
